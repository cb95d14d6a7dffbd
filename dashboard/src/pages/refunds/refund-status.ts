import type { StatusLooks } from '../../parts/status-tag.tsx'
import { refundWords } from '../../words/refunds.ts'

const words = refundWords.status

export const refundLooks: StatusLooks = {
  processing: [words.processing, 'warn'],
  succeeded: [words.succeeded, 'good'],
  failed: [words.failed, 'bad'],
  declined: [words.declined, 'bad'],
  voided: [words.voided, 'quiet'],
}
