import { hash } from 'node:crypto'
import { hundredths } from './rules/rule-problems.ts'

/** Of 10,000: hundredths of a percent. */
export type Bucket = number

/**
 * The bucket of a buyer, or of a payment without one: always the same for the same rule, and as if drawn by lot between rules, so that the buyers of
 * one rule's small share are not those of the next one's.
 */
export const bucketOf = (rule: string, seed: string): Bucket => Number.parseInt(hash('sha256', `${rule}/${seed}`, 'hex').slice(0, 12), 16) % 10_000

/** The share that a bucket falls into. Percentages sum to 100 and have two decimals at most. */
export function shareOf<T extends { percent: number }>(shares: readonly T[], bucket: Bucket): T | undefined {
  let end = 0
  for (const share of shares) {
    end += hundredths(share.percent)
    if (bucket < end) return share
  }
  return undefined
}
