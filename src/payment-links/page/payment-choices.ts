import { offeredOptions } from '../../checkout/payment-options/offered-options.ts'
import type { PaymentOption } from '../../checkout/payment-options/payment-option.schema.ts'
import { usableMethods } from '../../checkout/stored-methods/usable-methods.ts'
import type { PaymentMethodSummary } from '../../vault/payment-methods/payment-method.schema.ts'
import type { World } from '../../world.ts'
import type { PaymentLinkRow } from '../payment-link.ts'
import { type ApplePayRequest, applePayRequest } from './apple-pay.ts'
import { type GooglePayRequest, googlePayRequest } from './google-pay.ts'
import type { Words } from './words/words.ts'

/** The payment methods with which a link can be paid. */
export interface PaymentChoices {
  /** Cards, and the methods that send the buyer to a page of their own. */
  options: readonly PaymentOption[]
  /** The stored payment methods of the link's own buyer. */
  stored: readonly PaymentMethodSummary[]
  /** Null: Apple Pay is not offered. */
  applePay: ApplePayRequest | null
  /** Null: Google Pay is not offered. */
  googlePay: GooglePayRequest | null
}

/** Decided by the same rules as `POST /payment-options` and `GET /buyers/payment-methods`. */
export async function readPaymentChoices(
  world: World,
  link: PaymentLinkRow,
  { lang }: Pick<Words, 'lang'>,
): Promise<PaymentChoices> {
  const { merchant_account_id: account, amount, currency, country, buyer_id } = link
  const terms = {
    amount,
    currency,
    country,
    metadata: link.metadata,
    cart_items: link.details.cart_items ?? null,
    locale: lang,
  }
  const { payment_source, intent } = link
  const offered = await offeredOptions(world, account, terms, { payment_source, intent, buyer_id })
  // the first payment of a series needs a card that will be stored
  if (payment_source === 'recurring' || payment_source === 'installment')
    return { options: offered.filter(isCard), stored: [], applePay: null, googlePay: null }
  const stored =
    buyer_id === null
      ? []
      : await usableMethods(world, account, { id: buyer_id }, { country, currency, sort_by: 'last_used_at' })
  // a payment by the token of a wallet can neither store the card nor verify it
  const takesWallets = !link.store && amount > 0
  const takes = (wallet: string) => takesWallets && offered.some(({ method }) => method === wallet)
  return {
    options: offered.filter((option) => isCard(option) || option.mode === 'redirect'),
    stored,
    applePay: takes('applepay') ? await applePayRequest(world, link) : null,
    googlePay: takes('googlepay') ? await googlePayRequest(world, link) : null,
  }
}

const isCard = ({ method, mode }: PaymentOption) => method === 'card' && mode === 'card'
