import type { PayoutSummary } from '@railyard/client'
import { nameCard } from '../../format/names.ts'
import type { StatusLooks } from '../../parts/values/status-tag.tsx'
import { payoutWords } from '../../words/payments/payouts.ts'

const words = payoutWords.status

export const payoutLooks: StatusLooks = {
  pending: [words.pending, 'warn'],
  succeeded: [words.succeeded, 'good'],
  declined: [words.declined, 'bad'],
  failed: [words.failed, 'bad'],
}

/** The card that gets the money: visa ·· 1111. */
export function describeCard({ payment_method: { scheme, label, method } }: PayoutSummary): string {
  return nameCard(scheme ?? method ?? '', label)
}
