import { readable } from '../../format/names.ts'
import type { Tone } from '../../parts/values/tag.tsx'
import { reconciliationWords as words } from '../../words/finance/reconciliation.ts'

/** Reasons after which Railyard does not try a line again (docs/guides/reconciliation.md). */
const finalReasons = new Set(['duplicate', 'changed', 'malformed'])

/** Why a line has no payment, and what happens next, in words that an accountant would use. */
export function describeReason(reason: string): { text: string; meaning: string; next: string; tone: Tone } {
  const isFinal = finalReasons.has(reason)
  return {
    text: words.reasons[reason] ?? readable(reason),
    meaning: words.meanings[reason] ?? '',
    next: isFinal ? words.next.final : words.next.retried,
    tone: isFinal ? 'bad' : 'warn',
  }
}
