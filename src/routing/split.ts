import { hash } from 'node:crypto'
import { hundredths } from './rules/rule-problems.ts'

/** A number from 0 to 9,999: hundredths of a percent. */
export type Bucket = number

/**
 * The bucket of a buyer, or of a payment without a buyer. It is always the same for the same rule and
 * independent between rules, so the small shares of two rules have different buyers.
 */
export const bucketOf = (rule: string, seed: string): Bucket =>
  Number.parseInt(hash('sha256', `${rule}/${seed}`, 'hex').slice(0, 12), 16) % 10_000

/** The share that a bucket falls into. Percentages sum to 100 and have at most two decimals. */
export function shareOf<T extends { percent: number }>(shares: readonly T[], bucket: Bucket): T | undefined {
  let end = 0
  for (const share of shares) {
    end += hundredths(share.percent)
    if (bucket < end) return share
  }
  return undefined
}
