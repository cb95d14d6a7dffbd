import type { ApprovalThreshold } from '@railyard/client'
import { parseAmount, typedAmount } from '../../format/amount.ts'

/** Thresholds as a person types them: `EUR 100.00`, each in a line. */
export const linesOfThresholds = (thresholds: readonly ApprovalThreshold[]): string =>
  thresholds.map(({ currency, amount }) => `${currency} ${typedAmount(amount, currency)}`).join('\n')

/** Undefined: a line is none. */
export function readThresholds(text: string): ApprovalThreshold[] | undefined {
  const lines = text
    .split('\n')
    .map((line) => line.trim())
    .filter(Boolean)
  const read = lines.flatMap((line) => {
    const [, code = '', typed = ''] = /^([a-z]{3})\s+(\S+)$/i.exec(line) ?? []
    const currency = code.toUpperCase()
    const amount = code ? parseAmount(typed, currency) : undefined
    return amount === undefined ? [] : [{ currency, amount }]
  })
  return read.length === lines.length ? read : undefined
}
