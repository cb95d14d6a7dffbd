import type { StatusLooks } from '../../parts/values/status-tag.tsx'
import { paymentLinkWords } from '../../words/payments/payment-links.ts'

const words = paymentLinkWords.status

export const paymentLinkLooks: StatusLooks = {
  active: [words.active, 'info'],
  processing: [words.processing, 'warn'],
  completed: [words.completed, 'good'],
  expired: [words.expired, 'quiet'],
}
