import type { ListTransactionsQuery } from '@railyard/client'
import { parseAmount } from '../../format/amount.ts'

/**
 * What a person typed into the one search box, as filters: an email address, the last four digits of a card, an
 * amount (with its currency, before or behind it), or an id or reference.
 */
export function readSearch(typed: string): ListTransactionsQuery {
  const text = typed.trim()
  if (/^[^\s@]+@[^\s@]+$/.test(text)) return { buyer_email_address: text }
  if (/^\d{4}$/.test(text)) return { payment_method_label: text }
  const [, before, number = '', behind] =
    /^(?:([a-z]{3}) ?)?(\d{1,12}[.,]\d{1,3}|\d{1,12}(?= ?[a-z]{3}$))(?: ?([a-z]{3}))?$/i.exec(text) ?? []
  const currency = (before ?? behind)?.toUpperCase()
  const amount = number === '' ? undefined : parseAmount(number, currency ?? 'EUR')
  if (amount !== undefined) return { amount_eq: amount, ...(currency && { currency: [currency] }) }
  return { search: text }
}
