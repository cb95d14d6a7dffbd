import type { StatusLooks } from '../../parts/values/status-tag.tsx'
import { refundWords } from '../../words/payments/refunds.ts'

const words = refundWords.status

export const refundLooks: StatusLooks = {
  processing: [words.processing, 'warn'],
  succeeded: [words.succeeded, 'good'],
  failed: [words.failed, 'bad'],
  declined: [words.declined, 'bad'],
  voided: [words.voided, 'quiet'],
}
