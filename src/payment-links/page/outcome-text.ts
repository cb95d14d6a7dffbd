import { formatPrice } from '../../page/format.ts'
import type { TransactionRow } from '../../transactions/transaction.row.ts'
import type { Order } from './order.ts'
import type { Words } from './words/words.ts'

interface OutcomeText {
  title: string
  text: string
  sign: 'good' | 'bad'
}

/** What a buyer reads of a payment that went well: whether money was taken, or reserved, or let go again, and how much. */
export function outcomeTextOf(payment: TransactionRow, { merchant }: Order, words: Words): OutcomeText {
  const { status, captured_amount: captured, authorized_amount: authorized, currency } = payment
  const written = (amount: number) => formatPrice(amount, currency, words.lang)
  const { title, paid, booking, reserved, kept, checked } = words.completed
  const good = (text: string): OutcomeText => ({ title, text, sign: 'good' })
  if (captured > 0) return good(paid(written(captured), merchant))
  if (payment.amount === 0) return good(payment.payment_method?.id ? kept(merchant) : checked)
  switch (status) {
    case 'authorization_voided':
      return { title: words.released.title, text: words.released.text(written(authorized), merchant), sign: 'bad' }
    case 'capture_pending':
      return good(booking(written(payment.amount), merchant))
    default:
      return good(reserved(written(authorized), merchant))
  }
}
