import type { EmbedConstraintName } from '../api/auth/embed-constraint-names.ts'

/**
 * Who says a member of a request that a buyer's browser sends under an embed token (SEMANTICS §0.13, §1.4):
 *
 * - `browser`: the browser, whatever is in it.
 * - `merchant`: the merchant's server. A browser that sends it is refused, unless the token pins the member: then the pinned value stands in its place.
 * - `pinned-buyer`: the browser, where the token pins a buyer.
 * - `connector`: the browser, as far as the connector's definition declares it (`browserOptions`).
 * - `same`: the browser, and where the token pins that value no other. `filled`: what the browser leaves out is filled in.
 * - `only`: nothing but what the token pins.
 * - `members`: each member for itself; of a list, each entry's. `atMost`: how long the list may be.
 * - `variants`: as `members`, chosen by `method`; `other` is for the words that have no entry.
 */
export type MemberRule =
  | 'browser'
  | 'merchant'
  | 'pinned-buyer'
  | 'connector'
  | { same: EmbedConstraintName; filled?: true }
  | { only: EmbedConstraintName; filled?: true }
  | { members: MemberRules; atMost?: number }
  | { variants: Readonly<Record<string, MemberRules | 'merchant'>> }
export type MemberRules = { readonly [member: string]: MemberRule }

/** What a browser may send to an operation. */
export interface BrowserOperation {
  body?: MemberRules
  query?: MemberRules
  /** A thief who tries cards or PINs would send many of these: they are counted by address and by BIN, too. */
  isAttempt?: true
}

const amount = { same: 'amount' } as const
const currency = { same: 'currency' } as const
const buyerSelectors = { buyer_id: { only: 'buyer_id' }, buyer_external_identifier: { only: 'buyer_external_identifier' } } as const

/** What each kind of payment method has. A name for a method that is kept is the merchant's. */
const method = { method: 'browser', ...buyerSelectors, external_identifier: 'merchant', redirect_url: 'browser' } as const
const ofWallet = {
  ...method,
  token: 'browser',
  cardholder_name: 'browser',
  card_suffix: 'browser',
  card_scheme: 'browser',
  card_type: 'browser',
} as const

const paymentMethods = {
  // rules decide by the card's type, so a browser does not choose it
  card: { ...method, number: 'browser', expiration_date: 'browser', security_code: 'browser', card_type: 'merchant' },
  // whose it is, the payment looks up
  id: { ...method, id: 'pinned-buyer', security_code: 'browser' },
  'checkout-session': { ...method, id: 'browser' },
  applepay: ofWallet,
  googlepay: { ...ofWallet, assurance_details: 'browser' },
  plaid: { ...method, token: 'browser', account_id: 'browser', payment_service_id: 'merchant' },
  bank: { ...method, account_holder: 'browser' },
  // what these hold was decrypted by the merchant's server, and its cryptogram stands for an authentication
  'network-token': 'merchant',
  'click-to-pay': 'merchant',
  googlepay_pan_only: 'merchant',
  // all that redirect
  other: { ...method, country: 'browser', currency: 'browser' },
} as const

/** A payment takes no more, and each is a guess at a PIN. */
const MAX_GIFT_CARDS_IN_PAYMENT = 10

/**
 * The operations that the scope `embed` opens, by their ids, and who says which member. What is not in here is refused. A test walks the schemas of these
 * operations, and fails for a member that has no entry.
 */
export const browserOperations: Readonly<Record<string, BrowserOperation>> = {
  create_transaction: {
    isAttempt: true,
    body: {
      amount: { ...amount, filled: true },
      currency: { ...currency, filled: true },
      country: 'browser',
      payment_method: { variants: paymentMethods },
      buyer: {
        members: {
          display_name: 'browser',
          external_identifier: { only: 'buyer_external_identifier' },
          billing_details: 'browser',
          account_number: 'merchant',
          shipping_details: 'browser',
        },
      },
      buyer_id: { only: 'buyer_id', filled: true },
      buyer_external_identifier: { only: 'buyer_external_identifier', filled: true },
      gift_cards: { members: { number: 'browser', pin: 'browser', id: 'pinned-buyer', amount: 'browser' } },
      external_identifier: 'merchant',
      intent: 'merchant',
      store: 'pinned-buyer',
      three_d_secure_data: 'merchant',
      three_d_secure: 'merchant',
      metadata: 'merchant',
      is_subsequent_payment: 'merchant',
      merchant_initiated: 'merchant',
      payment_source: 'merchant',
      airline: 'merchant',
      description: 'merchant',
      cart_items: 'browser',
      statement_descriptor: 'merchant',
      previous_scheme_transaction_id: 'merchant',
      previous_transaction_link_id: 'merchant',
      browser_info: 'browser',
      shipping_details_id: 'pinned-buyer',
      connection_options: 'connector',
      async_capture: 'merchant',
      anti_fraud_fingerprint: 'browser',
      payment_service_id: 'merchant',
      account_funding_transaction: 'merchant',
      allow_partial_authorization: 'merchant',
      recipient: 'merchant',
      installment_count: 'merchant',
      tax_amount: 'merchant',
      merchant_tax_id: 'merchant',
      purchase_order_number: 'merchant',
      customer_reference_number: 'merchant',
      amount_includes_tax: 'merchant',
      supplier_order_number: 'merchant',
      duty_amount: 'merchant',
      shipping_amount: 'merchant',
      integration_client: 'browser',
      approval_expires_at: 'merchant',
    },
  },
  list_payment_options: {
    body: {
      amount: { ...amount, filled: true },
      currency: { ...currency, filled: true },
      metadata: 'merchant',
      country: 'browser',
      locale: 'browser',
      cart_items: 'browser',
    },
  },
  get_card_details: {
    query: {
      currency,
      bin: 'browser',
      payment_method_id: 'pinned-buyer',
      country: 'browser',
      amount: { ...amount, filled: true },
      intent: 'merchant',
      is_subsequent_payment: 'merchant',
      merchant_initiated: 'merchant',
      metadata: 'merchant',
      payment_source: 'merchant',
    },
  },
  list_buyer_payment_methods: { query: { ...buyerSelectors, sort_by: 'browser', order_by: 'browser', country: 'browser', currency } },
  delete_payment_method: {},
  list_buyer_gift_cards: { query: { ...buyerSelectors, sort_by: 'browser', order_by: 'browser' } },
  create_gift_card: { isAttempt: true, body: { number: 'browser', pin: 'browser', ...buyerSelectors } },
  list_gift_card_balances: {
    isAttempt: true,
    body: { items: { members: { number: 'browser', pin: 'browser', id: 'pinned-buyer' }, atMost: MAX_GIFT_CARDS_IN_PAYMENT } },
  },
  activate_gift_card: {
    isAttempt: true,
    body: { number: 'browser', pin: 'browser', amount, currency, external_identifier: 'merchant', store: 'browser', ...buyerSelectors },
  },
  create_google_pay_digital_wallet_session: { body: { origin_domain: 'browser' } },
  create_apple_pay_digital_wallet_session: { body: { validation_url: 'browser', domain_name: 'browser' } },
}

/** Of a payment method that does not say which it is: the shapes tell. */
export function paymentMethodVariant(given: Readonly<Record<string, unknown>>): string {
  if (typeof given['method'] === 'string') return given['method']
  if ('number' in given) return 'card'
  if ('id' in given) return 'id'
  return 'account_holder' in given ? 'bank' : 'plaid'
}
