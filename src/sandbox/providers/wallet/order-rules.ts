import { minorUnits, moneyIssue } from './money.ts'
import type { ExperienceContext, PricedAmount, PurchaseUnit, ShippingOption } from './order.schema.ts'

/** The issue with which the wallet refuses to open this order; null: it opens it. */
export function orderIssue(unit: PurchaseUnit, context: ExperienceContext): string | null {
  const { amount, items } = unit
  return (
    moneyIssue(amount) ??
    sumIssue(amount) ??
    itemIssue(amount, items) ??
    optionIssue(amount, unit.shipping?.options ?? [], context)
  )
}

/** Checks that the parts of an amount add up to it. */
export function sumIssue(amount: PricedAmount): string | null {
  const { breakdown } = amount
  if (!breakdown) return null
  const parts = Object.values(breakdown).filter((part) => part !== undefined)
  if (parts.some(({ currency_code }) => currency_code !== amount.currency_code)) return 'MULTI_CURRENCY_ORDER'
  const part = (name: keyof typeof breakdown) => (breakdown[name] ? minorUnits(breakdown[name]) : 0)
  const sum =
    part('item_total') +
    part('shipping') +
    part('handling') +
    part('tax_total') +
    part('insurance') -
    part('shipping_discount') -
    part('discount')
  return sum === minorUnits(amount) ? null : 'AMOUNT_MISMATCH'
}

function itemIssue({ breakdown }: PricedAmount, items: PurchaseUnit['items']): string | null {
  if (!items || items.length === 0) return null
  if (!breakdown?.item_total) return 'ITEM_TOTAL_REQUIRED'
  const sum = items.reduce(
    (total, { quantity, unit_amount }) => total + Number(quantity) * minorUnits(unit_amount),
    0,
  )
  return sum === minorUnits(breakdown.item_total) ? null : 'ITEM_TOTAL_MISMATCH'
}

/**
 * Checks the shipping options: the buyer must choose the address, exactly one option is selected, and its
 * cost is the amount's shipping.
 */
export function optionIssue(
  { breakdown }: PricedAmount,
  options: readonly ShippingOption[],
  { shipping_preference }: ExperienceContext,
): string | null {
  if (options.length === 0) return null
  if (shipping_preference && shipping_preference !== 'GET_FROM_FILE') return 'SHIPPING_OPTIONS_NOT_SUPPORTED'
  const [selected, ...more] = options.filter((option) => option.selected)
  if (!selected) return 'SHIPPING_OPTION_NOT_SELECTED'
  if (more.length > 0) return 'MULTIPLE_SHIPPING_OPTION_SELECTED'
  if (!selected.amount) return null
  const charged = breakdown?.shipping ? minorUnits(breakdown.shipping) : 0
  return charged === minorUnits(selected.amount) ? null : 'PREFERRED_SHIPPING_OPTION_AMOUNT_MISMATCH'
}
