import { countryName } from '../../../page/format.ts'
import type { CheckoutOrder, CheckoutPage } from '../../page/checkout.page.ts'
import type { OrderLine } from './bnpl.schema.ts'
import type { Page, PageStatus, Session } from './documents.ts'

const states: Record<PageStatus, Exclude<CheckoutPage['state'], 'unknown'>> = {
  WAITING: 'open',
  COMPLETED: 'approved',
  FAILED: 'declined',
  CANCELLED: 'cancelled',
  DISABLED: 'expired',
}

/** The types of lines that are not goods, with their labels in the total. */
const extras = new Map([
  ['shipping_fee', 'Shipping'],
  ['sales_tax', 'Tax'],
  ['discount', 'Discount'],
  ['surcharge', 'Surcharge'],
  ['gift_card', 'Gift card'],
  ['store_credit', 'Store credit'],
])

const isExtra = ({ type = '' }: OrderLine) => extras.has(type)
const sum = (lines: readonly OrderLine[]) =>
  lines.reduce((total, { total_amount }) => total + total_amount, 0)

/** The page of a session. Decisions are posted to URLs below `actions`. */
export function pageOfSession(
  { status }: Page,
  { body }: Session,
  actions: string,
  returnUrl: string | undefined,
): CheckoutPage {
  return { provider: 'Pay later', state: states[status], order: orderOf(body, actions), returnUrl: returnUrl }
}

export const noSuchPage: CheckoutPage = { provider: 'Pay later', state: 'unknown' }

function orderOf(
  { order_lines, order_amount, purchase_country, purchase_currency, shipping_address }: Session['body'],
  actions: string,
): CheckoutOrder {
  const goods = order_lines.filter((line) => !isExtra(line))
  const others = [...extras].flatMap(([type, label]) => {
    const lines = order_lines.filter((line) => line.type === type)
    return lines.length > 0 ? [{ label, amount: sum(lines) }] : []
  })
  return {
    merchant: null,
    locale: `en-${purchase_country.toUpperCase()}`,
    currency: purchase_currency.toUpperCase(),
    amount: order_amount,
    lines: goods.map(({ name, quantity, total_amount }) => ({ name, quantity, amount: total_amount })),
    breakdown: others.length > 0 ? [{ label: 'Items', amount: sum(goods) }, ...others] : [],
    shipTo: shipping_address ? addressLines(shipping_address) : null,
    options: [],
    problem: null,
    canApprove: true,
    approve: {
      label: 'Buy now, pay later',
      meaning: 'Get your order now and pay for it within 30 days. Nothing is charged today.',
    },
    actions,
  }
}

function addressLines(address: NonNullable<Session['body']['shipping_address']>): string[] {
  const { given_name, family_name, street_address, street_address2, postal_code, city, region, country } =
    address
  const joined = (...parts: (string | undefined)[]) => parts.filter(Boolean).join(' ')
  return [
    joined(given_name, family_name),
    street_address,
    street_address2,
    joined(postal_code, city, region),
    country && countryName(country),
  ].flatMap((line) => line || [])
}
