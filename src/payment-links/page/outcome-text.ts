import { formatPrice } from '../../page/format.ts'
import type { TransactionRow } from '../../transactions/transaction.row.ts'
import type { Order } from './order.ts'
import type { Words } from './words/words.ts'

interface OutcomeText {
  title: string
  text: string
  icon: 'good' | 'bad'
  /** Formatted: what was charged, reserved or released. */
  amount: string
}

/**
 * The page's text after a payment that succeeded: whether the amount was charged, reserved or released, and
 * how much it is.
 */
export function outcomeTextOf(payment: TransactionRow, { merchant }: Order, words: Words): OutcomeText {
  const { status, captured_amount: captured, authorized_amount: authorized, currency } = payment
  const price = (amount: number) => formatPrice(amount, currency, words.lang)
  const { title, paid, booking, reserved, kept, checked } = words.completed
  const good = (text: string, amount: number): OutcomeText => ({
    title,
    text,
    icon: 'good',
    amount: price(amount),
  })
  if (captured > 0) return good(paid(price(captured), merchant), captured)
  if (payment.amount === 0) return good(payment.payment_method?.id ? kept(merchant) : checked, 0)
  switch (status) {
    case 'authorization_voided':
      return {
        title: words.released.title,
        text: words.released.text(price(authorized), merchant),
        icon: 'bad',
        amount: price(authorized),
      }
    case 'capture_pending':
      return good(booking(price(payment.amount), merchant), payment.amount)
    default:
      return good(reserved(price(authorized), merchant), authorized)
  }
}
