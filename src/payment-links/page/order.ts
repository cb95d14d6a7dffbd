import { cachedMerchantAccount } from '../../accounts/merchant-accounts/merchant-account.store.ts'
import type { CartItem } from '../../checkout/cart-item.schema.ts'
import { showCartItem } from '../../checkout/cart-item.ts'
import { formatPrice } from '../../page/format.ts'
import type { World } from '../../world.ts'
import { readColor } from '../css-colors.ts'
import type { PaymentLinkRow } from '../payment-link.ts'
import { type Accent, accentOf } from './accent.ts'
import type { Words } from './words/words.ts'

/** What the buyer pays for, as each page of the link shows it. URLs are http or https, or null. */
export interface Order {
  merchant: string
  merchantUrl: string | null
  banner: string | null
  favicon: string | null
  terms: string | null
  message: string | null
  accent: Accent
  /** Formatted for the buyer's language. */
  amount: string
  /** The amount is 0: the payment only verifies the card. */
  isFree: boolean
  /** Paying reserves the amount; the merchant charges it later. */
  isReserved: boolean
  lines: readonly { name: string; quantity: number; amount: string }[]
}

export async function orderOf(world: World, link: PaymentLinkRow, { lang }: Words): Promise<Order> {
  const { merchant_account_id: account, details, currency } = link
  const amount = (value: number) => formatPrice(value, currency, lang)
  return {
    merchant: details.merchant_name ?? (await cachedMerchantAccount(world, account))?.display_name ?? account,
    merchantUrl: webUrl(details.merchant_url),
    banner: webUrl(details.merchant_banner_url),
    favicon: webUrl(details.merchant_favicon_url),
    terms: webUrl(details.merchant_terms_and_conditions_url),
    message: details.merchant_message ?? null,
    accent: accentOf(details.merchant_color ? readColor(details.merchant_color) : undefined),
    amount: amount(link.amount),
    isFree: link.amount === 0,
    isReserved: link.intent === 'authorize' && link.amount > 0,
    lines: (details.cart_items ?? []).map((item) => ({
      name: item.name,
      quantity: item.quantity,
      amount: amount(lineTotal(item)),
    })),
  }
}

/**
 * Discount and tax are for the whole line, not for one piece (semantics §2). A line for a discount or store
 * credit reduces the order.
 */
function lineTotal(item: CartItem): number {
  const { unit_amount, quantity, discount_amount, tax_amount } = item
  const total = unit_amount * quantity - (discount_amount ?? 0) + (tax_amount ?? 0)
  const kind = showCartItem(item).product_type
  return kind === 'discount' || kind === 'store_credit' ? -total : total
}

/** A merchant's URL, if it is one that a browser may open or load; else null. */
function webUrl(text: string | null | undefined): string | null {
  const url = text && URL.canParse(text) ? new URL(text) : undefined
  return url?.protocol === 'https:' || url?.protocol === 'http:' ? url.href : null
}
