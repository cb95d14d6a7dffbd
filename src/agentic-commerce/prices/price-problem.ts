import { ceilingOf } from '../../api/values/amount-ceiling.ts'
import { Compile } from '../../base/compile.ts'
import { Price } from './price.schema.ts'

type Total = Price['totals'][number]

/** What each type of total adds to what the buyer pays, beside the items themselves. */
const signs: Partial<Record<Total['type'], 1 | -1>> = {
  discount: -1,
  fulfillment: 1,
  tax: 1,
  fee: 1,
  gift_wrap: 1,
  tip: 1,
  store_credit: -1,
}

const price = Compile(Price)

/** Why an answer is no price of this cart; otherwise the price. `currency`: ISO 4217, of the checkout. */
export function readPrice(
  answer: unknown,
  currency: string,
): { price: Price & { amount: number } } | { problem: string } {
  if (!price.Check(answer)) {
    const [first] = price.Errors(answer)
    return { problem: `${jsonPath(first?.instancePath ?? '')} ${first?.message ?? 'is not a price'}` }
  }
  const problem = problemOf(answer, currency)
  if (problem !== undefined) return { problem }
  return { price: { ...answer, amount: amountOf(answer.totals) } }
}

/** `/totals/0/amount` → `$.totals[0].amount` */
const jsonPath = (pointer: string): string =>
  pointer
    .split('/')
    .slice(1)
    .reduce((path, step) => (/^\d+$/.test(step) ? `${path}[${step}]` : `${path}.${step}`), '$')

/** The total of these totals; 0 without one. */
export const amountOf = (totals: readonly Total[]): number =>
  totals.find(({ type }) => type === 'total')?.amount ?? 0

function problemOf(answer: Price, currency: string): string | undefined {
  if (answer.currency.toUpperCase() !== currency) return `$.currency must be ${currency.toLowerCase()}`
  return (
    problemOfTotals(answer.totals) ??
    problemOfLines(answer) ??
    problemOfOptions(answer) ??
    (answer.status === 'ready_for_payment' ? problemOfReady(answer, currency) : undefined)
  )
}

const sumOf = (totals: readonly Total[], type: Total['type']): number | undefined => {
  const ofType = totals.filter((total) => total.type === type)
  return ofType.length === 0 ? undefined : ofType.reduce((sum, { amount }) => sum + amount, 0)
}

/** What the items cost after the discounts on them; undefined: the totals do not say. */
function goodsOf(totals: readonly Total[]): number | undefined {
  const base = sumOf(totals, 'items_base_amount')
  return (
    sumOf(totals, 'subtotal') ??
    (base === undefined ? undefined : base - (sumOf(totals, 'items_discount') ?? 0))
  )
}

/** The sums that the protocol’s document gives: subtotal and total. */
function problemOfTotals(totals: readonly Total[]): string | undefined {
  for (const type of ['total', 'subtotal', 'items_base_amount', 'items_discount'] as const)
    if (totals.filter((total) => total.type === type).length > 1)
      return `$.totals must have one ${type} at most`
  if (totals.some(({ type }) => type === 'amount_refunded')) return '$.totals must have no amount_refunded'
  if (sumOf(totals, 'total') === undefined) return '$.totals must have one of the type total'
  const goods = goodsOf(totals)
  if (goods === undefined) return '$.totals must have a subtotal, or an items_base_amount'
  const base = sumOf(totals, 'items_base_amount')
  if (base !== undefined && base - (sumOf(totals, 'items_discount') ?? 0) !== goods)
    return '$.totals: subtotal must be items_base_amount less items_discount'
  const expected = totals.reduce((sum, { type, amount }) => sum + (signs[type] ?? 0) * amount, goods)
  if (expected !== amountOf(totals)) return `$.totals: total must be ${expected}, the sum of the others`
  return undefined
}

function problemOfLines({ line_items, totals }: Price): string | undefined {
  if (new Set(line_items.map(({ id }) => id)).size < line_items.length)
    return '$.line_items must have ids of their own'
  let sum = 0
  for (const [index, line] of line_items.entries()) {
    const goods = goodsOf(line.totals)
    if (goods === undefined)
      return `$.line_items[${index}].totals must have a subtotal, or an items_base_amount`
    const base = sumOf(line.totals, 'items_base_amount')
    const unit = line.unit_amount ?? line.item.unit_amount
    if (base !== undefined && unit !== undefined && base !== unit * line.quantity)
      return `$.line_items[${index}].totals: items_base_amount must be ${unit * line.quantity}, unit_amount times quantity`
    if (base !== undefined && base - (sumOf(line.totals, 'items_discount') ?? 0) !== goods)
      return `$.line_items[${index}].totals: subtotal must be items_base_amount less items_discount`
    sum += goods
  }
  return sum === goodsOf(totals) ? undefined : `$.totals: subtotal must be ${sum}, the sum of the line items`
}

function problemOfOptions({ fulfillment_options, selected_fulfillment_options: selected = [] }: Price) {
  if (new Set(fulfillment_options.map(({ id }) => id)).size < fulfillment_options.length)
    return '$.fulfillment_options must have ids of their own'
  const unknown = selected.find(
    ({ option_id, type }) =>
      !fulfillment_options.some((option) => option.id === option_id && option.type === type),
  )
  return unknown && '$.selected_fulfillment_options must name fulfillment_options'
}

function problemOfReady({ totals, messages }: Price, currency: string): string | undefined {
  const amount = amountOf(totals)
  if (amount === 0 || amount > ceilingOf(currency))
    return `$.totals: total must be from 1 to ${ceilingOf(currency)} in ${currency}`
  if (messages.some(({ type }) => type === 'error'))
    return '$.status must be not_ready_for_payment while $.messages has an error'
  return undefined
}
