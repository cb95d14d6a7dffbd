import type { Transaction, TransactionSummary } from '@railyard/client'
import { formatAmount } from '../../format/amount.ts'
import { nameCard, readable } from '../../format/names.ts'
import { formatDistance } from '../../format/time.ts'
import type { Tone } from '../../parts/values/tag.tsx'
import { paymentWords } from '../../words/payments/payments.ts'

const words = paymentWords.status

export interface StatusText {
  text: string
  tone: Tone
  /** What else a support agent would say about it. */
  note?: string | undefined
}

/** The status of a payment in words that a support agent would use. */
export function describeStatus(payment: TransactionSummary | Transaction): StatusText {
  const { status, captured_amount, refunded_amount, authorized_amount, currency, error_code, disputed } =
    payment
  const note = error_code ? readable(error_code) : undefined
  switch (status) {
    case 'processing':
      return { text: words.processing, tone: 'warn' }
    case 'buyer_approval_pending':
      return { text: words.waiting, tone: 'info', note: waiting(payment) }
    case 'authorization_succeeded':
      if (payment.pending_review) return { text: words.review, tone: 'warn' }
      return { text: words.authorized, tone: 'info' }
    case 'authorization_declined':
      return { text: words.declined, tone: 'bad', note }
    case 'authorization_failed':
      return { text: words.failed, tone: 'bad', note }
    case 'authorization_voided':
      return { text: words.voided, tone: 'quiet', note }
    case 'authorization_void_pending':
      return { text: words.voidPending, tone: 'quiet' }
    case 'capture_pending':
      return { text: words.capturePending, tone: 'info' }
    case 'capture_succeeded':
      if (refunded_amount >= captured_amount && captured_amount > 0)
        return { text: words.refunded, tone: 'quiet' }
      if (disputed) return { text: words.disputed, tone: 'bad' }
      if (refunded_amount > 0)
        return {
          text: words.partlyRefunded,
          tone: 'quiet',
          note: paymentWords.refundedNote(formatAmount(refunded_amount, currency)),
        }
      if (captured_amount < authorized_amount) return { text: words.partlyCaptured, tone: 'good' }
      return { text: words.captured, tone: 'good' }
    default:
      return { text: readable(status), tone: 'quiet', note }
  }
}

/** Whether the buyer has not paid and has to try again, as the page of the checkout has told them. */
export const isRefused = ({ status }: Pick<Transaction, 'status'>): boolean =>
  status === 'authorization_declined' || status === 'authorization_failed'

const waiting = (payment: TransactionSummary | Transaction): string | undefined =>
  'approval_expires_at' in payment && payment.approval_expires_at
    ? paymentWords.waitsUntil(formatDistance(payment.approval_expires_at))
    : undefined

/** What paid, as people name it: visa ·· 1111. */
export function describeMethod({ payment_method, method }: TransactionSummary | Transaction): string {
  if (!payment_method) return method ?? ''
  const { scheme, label } = payment_method
  return nameCard(scheme ?? payment_method.method ?? '', label)
}
