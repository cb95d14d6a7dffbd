import type { PaymentMethod } from '@railyard/client'
import { nameCard } from '../../format/names.ts'
import type { StatusLooks } from '../../parts/values/status-tag.tsx'
import { storedMethodWords } from '../../words/payments/stored-methods.ts'

const words = storedMethodWords.status

export const methodLooks: StatusLooks = {
  processing: [words.processing, 'info'],
  succeeded: [words.succeeded, 'good'],
  buyer_approval_required: [words.buyer_approval_required, 'warn'],
  failed: [words.failed, 'bad'],
  paused: [words.paused, 'quiet'],
}

/** How people name a stored method: visa ·· 1111. */
export function methodName({ scheme, method, label }: PaymentMethod): string {
  return nameCard(scheme ?? method, label)
}
