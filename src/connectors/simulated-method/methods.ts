import type { Method } from '../contract/method.schema.ts'

/**
 * What the methods of a kind have in common. `outcome`: whether the payment service knows the outcome when
 * the buyer has approved, or some time later. `delayedCapture`: whether the money can be authorized first,
 * and captured or released later. `refunds`: whether money can be given back.
 */
export const methodKinds = {
  /** An account at a wallet or a lender. */
  account: { label: 'Account', outcome: 'at once', delayedCapture: true, refunds: true },
  /**
   * The buyer pays from a balance, a telephone bill or a bank account and cannot take it back: there is no
   * separate capture.
   */
  push: { label: 'Instant payment', outcome: 'at once', delayedCapture: false, refunds: true },
  /** The buyer orders a transfer at their bank, which arrives later. */
  transfer: { label: 'Bank transfer', outcome: 'later', delayedCapture: false, refunds: true },
  /** The buyer gives a mandate, and their bank pays or refuses later. */
  debit: { label: 'Direct debit', outcome: 'later', delayedCapture: false, refunds: true },
  /** The buyer pays a slip in a shop or at a cash machine, which cannot pay back. */
  voucher: { label: 'Voucher', outcome: 'later', delayedCapture: false, refunds: false },
} as const satisfies Record<string, MethodKind>

export interface MethodKind {
  label: string
  outcome: 'at once' | 'later'
  delayedCapture: boolean
  refunds: boolean
}

export type MethodKindName = keyof typeof methodKinds

const words = (text: string) => text.trim().split(/\s+/)

/**
 * The methods of each kind. The simulator serves every method that is listed here; nothing else has to be
 * written for a new one.
 */
const methodsByKind: Record<MethodKindName, readonly string[]> = {
  account: words(`
    affirm afterpay alipay alipayhk cashapp cashappafterpay clearpay custom_redirect custom_tokenize dana ebanx everydaypay gcash gem gemds gopay grabpay
    kakaopay kcp latitude latitudeds laybuy linepay mercadopago nupay oney_10x oney_12x oney_3x oney_4x oney_6x paymaya paypay paysquad picpay
    rabbitlinepay razorpay scalapay shopeepay singteldash smartpay stripe stripetoken truemoney venmo vipps waave zippay`),
  push: words(`
    arcuspaynetwork bitpay blik boost breb capitec custom_push dcb dlocal eckoh givingblock interac linkaja maybankqrpay nequi onelink ovo payid
    pix swish tapi tapifintechs thaiqr touchngo upi webpay wechat wero yape`),
  transfer: words(`
    bancontact bcp eps giropay ideal khipu multibanco netbanking onlinebankingcz p24 paybybank pse sofort spei stitch trustly trustlyeurope`),
  debit: words('ach bacs becs gocardless payto sepa stripedd'),
  voucher: words(
    'abitab boleto efecty konbini multipago oxxo pagoefectivo payvalida rapipago redpagos servipag seveneleven',
  ),
}

/** Each simulated method with its kind. */
export const simulatedMethods: ReadonlyMap<string, MethodKindName> = new Map(
  (Object.keys(methodsByKind) as MethodKindName[]).flatMap((kind) =>
    methodsByKind[kind].map((method): [string, MethodKindName] => [method, kind]),
  ),
)

/** Methods that the simulator does not serve, and what to test them with; null: they cannot be tested. */
export const methodsWithoutSimulator: Partial<Record<Method, { with: string | null; why: string }>> = {
  card: { with: 'mock-card', why: 'has a simulator of its own' },
  'gift-card': { with: 'mock-gift-card', why: 'is a gift card service, not a payment service' },
  wallet: { with: 'wallet-wallet', why: 'has a simulator of its own' },
  bnpl: { with: 'bnpl-bnpl', why: 'has a simulator of its own' },
  applepay: {
    with: 'mock-card',
    why: 'a card in a device: POST /sandbox/wallets/apple/token makes its token',
  },
  googlepay: {
    with: 'mock-card',
    why: 'a card in a device: POST /sandbox/wallets/google/token makes its token',
  },
  googlepay_pan_only: { with: 'mock-card', why: 'a card that the merchant has decrypted' },
  'network-token': { with: 'mock-card', why: 'a card, by a token of its scheme' },
  'click-to-pay': { with: 'mock-card', why: 'a card that the merchant has decrypted' },
  bank: { with: null, why: 'an account number can be stored, and no payment service takes one yet' },
  plaid: { with: null, why: 'a Plaid token can be stored, and no payment service takes one yet' },
  chaseorbital: {
    with: null,
    why: 'a card whose details a payment service’s own page takes, for which the API has no request yet',
  },
}
