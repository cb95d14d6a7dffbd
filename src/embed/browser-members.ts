import type { EmbedConstraintName } from '../api/auth/embed-constraint-names.ts'

/**
 * Whether a buyer's browser may send a member of a request under an embed token (semantics §0.13, §1.4):
 *
 * - `browser`: yes, with any value.
 * - `merchant`: no, only the merchant's server may. If the token constrains the member, the token's value
 *   replaces the browser's.
 * - `constrained-buyer`: yes, if the token constrains the buyer.
 * - `connector`: yes, for the options that the connector's definition declares (`browserOptions`).
 * - `mustEqual`: yes; if the token has this constraint, with its value only.
 * - `onlyConstrained`: only with the value of this constraint.
 * - `isDefault`, beside these two: the constraint's value is filled in if the browser leaves the member out.
 * - `members`: a rule for each member; in a list, for the members of each entry. `maxEntries`: how long the
 *   list may be.
 * - `variants`: as `members`, chosen by the member `method`; `other` is for the methods without an entry.
 */
export type MemberRule =
  | 'browser'
  | 'merchant'
  | 'constrained-buyer'
  | 'connector'
  | { mustEqual: EmbedConstraintName; isDefault?: true }
  | { onlyConstrained: EmbedConstraintName; isDefault?: true }
  | { members: MemberRules; maxEntries?: number }
  | { variants: Readonly<Record<string, MemberRules | 'merchant'>> }
export type MemberRules = { readonly [member: string]: MemberRule }

/** The members that a browser may send to an operation. */
export interface BrowserOperation {
  body?: MemberRules
  query?: MemberRules
  /** Card testers would send many of these requests: they are counted by client address and by BIN, too. */
  isAttempt?: true
}

const amount = { mustEqual: 'amount' } as const
const currency = { mustEqual: 'currency' } as const
const buyerSelectors = {
  buyer_id: { onlyConstrained: 'buyer_id' },
  buyer_external_identifier: { onlyConstrained: 'buyer_external_identifier' },
} as const

/**
 * The members of every payment method. The external identifier of a stored method is the merchant's to
 * choose.
 */
const method = {
  method: 'browser',
  ...buyerSelectors,
  external_identifier: 'merchant',
  redirect_url: 'browser',
} as const
const walletMethod = {
  ...method,
  token: 'browser',
  cardholder_name: 'browser',
  card_suffix: 'browser',
  card_scheme: 'browser',
  card_type: 'browser',
} as const

const paymentMethods = {
  // flow rules decide by the card's type, so a browser may not choose it
  card: {
    ...method,
    number: 'browser',
    expiration_date: 'browser',
    security_code: 'browser',
    card_type: 'merchant',
  },
  // the payment checks that the stored method is the constrained buyer's
  id: { ...method, id: 'constrained-buyer', security_code: 'browser' },
  'checkout-session': { ...method, id: 'browser' },
  applepay: walletMethod,
  googlepay: { ...walletMethod, assurance_details: 'browser' },
  plaid: { ...method, token: 'browser', account_id: 'browser', payment_service_id: 'merchant' },
  bank: { ...method, account_holder: 'browser' },
  // the merchant's server has decrypted these, and their cryptogram counts as an authentication
  'network-token': 'merchant',
  // a browser's token comes through its checkout session: the payment service is the merchant's to choose
  'provider-token': 'merchant',
  // the platform gives its token to the merchant's server
  'delegated-payment': 'merchant',
  'click-to-pay': 'merchant',
  googlepay_pan_only: 'merchant',
  // methods that redirect the buyer
  other: { ...method, country: 'browser', currency: 'browser' },
} as const

/** A payment accepts no more, and each entry is a guess at a PIN. */
const MAX_GIFT_CARDS_IN_PAYMENT = 10

/**
 * The operations that the scope `embed` opens, by their ids, with a rule for each member. A member without a
 * rule is refused; a test walks the schemas of these operations and fails for such a member.
 */
export const browserOperations: Readonly<Record<string, BrowserOperation>> = {
  create_transaction: {
    isAttempt: true,
    body: {
      amount: { ...amount, isDefault: true },
      currency: { ...currency, isDefault: true },
      country: 'browser',
      payment_method: { variants: paymentMethods },
      buyer: {
        members: {
          display_name: 'browser',
          external_identifier: { onlyConstrained: 'buyer_external_identifier' },
          billing_details: 'browser',
          account_number: 'merchant',
          shipping_details: 'browser',
        },
      },
      buyer_id: { onlyConstrained: 'buyer_id', isDefault: true },
      buyer_external_identifier: { onlyConstrained: 'buyer_external_identifier', isDefault: true },
      gift_cards: {
        members: { number: 'browser', pin: 'browser', id: 'constrained-buyer', amount: 'browser' },
      },
      external_identifier: 'merchant',
      intent: 'merchant',
      store: 'constrained-buyer',
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
      shipping_details_id: 'constrained-buyer',
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
      agent_evidence: 'merchant',
    },
  },
  list_payment_options: {
    body: {
      amount: { ...amount, isDefault: true },
      currency: { ...currency, isDefault: true },
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
      payment_method_id: 'constrained-buyer',
      country: 'browser',
      amount: { ...amount, isDefault: true },
      intent: 'merchant',
      is_subsequent_payment: 'merchant',
      merchant_initiated: 'merchant',
      metadata: 'merchant',
      payment_source: 'merchant',
    },
  },
  list_buyer_payment_methods: {
    query: { ...buyerSelectors, sort_by: 'browser', order_by: 'browser', country: 'browser', currency },
  },
  delete_payment_method: {},
  list_buyer_gift_cards: { query: { ...buyerSelectors, sort_by: 'browser', order_by: 'browser' } },
  create_gift_card: { isAttempt: true, body: { number: 'browser', pin: 'browser', ...buyerSelectors } },
  list_gift_card_balances: {
    isAttempt: true,
    body: {
      items: {
        members: { number: 'browser', pin: 'browser', id: 'constrained-buyer' },
        maxEntries: MAX_GIFT_CARDS_IN_PAYMENT,
      },
    },
  },
  activate_gift_card: {
    isAttempt: true,
    body: {
      number: 'browser',
      pin: 'browser',
      amount,
      currency,
      external_identifier: 'merchant',
      store: 'browser',
      ...buyerSelectors,
    },
  },
  create_google_pay_digital_wallet_session: { body: { origin_domain: 'browser' } },
  create_apple_pay_digital_wallet_session: { body: { validation_url: 'browser', domain_name: 'browser' } },
}

/** The variant of a payment method: its member `method`, else the one whose shape it has. */
export function paymentMethodVariant(paymentMethod: Readonly<Record<string, unknown>>): string {
  if (typeof paymentMethod['method'] === 'string') return paymentMethod['method']
  if ('number' in paymentMethod) return 'card'
  if ('id' in paymentMethod) return 'id'
  return 'account_holder' in paymentMethod ? 'bank' : 'plaid'
}
