import { cachedMerchantAccount } from '../../accounts/merchant-accounts/merchant-account.store.ts'
import type { CartItem } from '../../checkout/cart-item.schema.ts'
import { showCartItem } from '../../checkout/cart-item.ts'
import { formatPrice } from '../../page/format.ts'
import type { World } from '../../world.ts'
import { readColor } from '../css-colors.ts'
import type { PaymentLinkRow } from '../payment-link.ts'
import { type Accent, accentOf } from './accent.ts'
import type { Words } from './words/words.ts'

/** What a link is about, as a buyer reads it; the same on each of its pages. URLs are those of web pages, or null. */
export interface Order {
  merchant: string
  merchantUrl: string | null
  banner: string | null
  favicon: string | null
  terms: string | null
  message: string | null
  accent: Accent
  /** Written in the buyer's language. */
  amount: string
  /** Nothing is charged: the payment only proves the card. */
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
    lines: (details.cart_items ?? []).map((item) => ({ name: item.name, quantity: item.quantity, amount: amount(lineTotal(item)) })),
  }
}

/** SEMANTICS §2: discount and tax are for the line, not for one. A discount's own line lessens the order. */
function lineTotal(item: CartItem): number {
  const { unit_amount, quantity, discount_amount, tax_amount } = item
  const total = unit_amount * quantity - (discount_amount ?? 0) + (tax_amount ?? 0)
  const kind = showCartItem(item).product_type
  return kind === 'discount' || kind === 'store_credit' ? -total : total
}

/** A merchant's URL where a browser may go to it or load from it. */
function webUrl(text: string | null | undefined): string | null {
  const url = text && URL.canParse(text) ? new URL(text) : undefined
  return url?.protocol === 'https:' || url?.protocol === 'http:' ? url.href : null
}
