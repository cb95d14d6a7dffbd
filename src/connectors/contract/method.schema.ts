import type { Static } from 'typebox'
import { Words } from '../../api/schema.ts'

const methods = [
  'abitab',
  'affirm',
  'afterpay',
  'alipay',
  'alipayhk',
  'applepay',
  'arcuspaynetwork',
  'bacs',
  'bancontact',
  'bank',
  'bcp',
  'becs',
  'bitpay',
  'blik',
  'ach',
  'boleto',
  'boost',
  'breb',
  'capitec',
  'card',
  'cashapp',
  'cashappafterpay',
  'chaseorbital',
  'clearpay',
  'click-to-pay',
  'custom_push',
  'custom_redirect',
  'custom_tokenize',
  'dana',
  'dcb',
  'dlocal',
  'ebanx',
  'eckoh',
  'efecty',
  'eps',
  'everydaypay',
  'gcash',
  'gem',
  'gemds',
  'gift-card',
  'giropay',
  'givingblock',
  'gocardless',
  'googlepay',
  'googlepay_pan_only',
  'gopay',
  'grabpay',
  'ideal',
  'interac',
  'kakaopay',
  'kcp',
  'khipu',
  'bnpl',
  'konbini',
  'latitude',
  'latitudeds',
  'laybuy',
  'linepay',
  'linkaja',
  'maybankqrpay',
  'mercadopago',
  'multibanco',
  'multipago',
  'nequi',
  'netbanking',
  'network-token',
  'nupay',
  'oney_10x',
  'oney_12x',
  'oney_3x',
  'oney_4x',
  'oney_6x',
  'onlinebankingcz',
  'onelink',
  'ovo',
  'oxxo',
  'p24',
  'pagoefectivo',
  'paybybank',
  'payid',
  'paymaya',
  'paysquad',
  'wallet',
  'paypay',
  'payto',
  'payvalida',
  'picpay',
  'pix',
  'plaid',
  'pse',
  'rabbitlinepay',
  'razorpay',
  'rapipago',
  'redpagos',
  'scalapay',
  'sepa',
  'servipag',
  'seveneleven',
  'shopeepay',
  'singteldash',
  'smartpay',
  'sofort',
  'spei',
  'stitch',
  'swish',
  'stripe',
  'stripedd',
  'stripetoken',
  'tapi',
  'tapifintechs',
  'thaiqr',
  'touchngo',
  'truemoney',
  'trustly',
  'trustlyeurope',
  'upi',
  'venmo',
  'vipps',
  'waave',
  'webpay',
  'wechat',
  'wero',
  'yape',
  'zippay',
] as const

export const Method = Words(...methods)
export type Method = Static<typeof Method>

export const isMethod = (text: string): text is Method => methods.some((method) => method === text)

const withoutRedirect = [
  'applepay',
  'bank',
  'card',
  'chaseorbital',
  'click-to-pay',
  'gift-card',
  'googlepay',
  'googlepay_pan_only',
  'network-token',
  'plaid',
] as const satisfies readonly Method[]
type WithoutRedirect = (typeof withoutRedirect)[number]
const isRedirect = (method: Method): method is Exclude<Method, WithoutRedirect> =>
  !withoutRedirect.some((other) => other === method)

/** The methods for which the buyer is redirected (semantics §2). */
export const RedirectMethod = Words(...methods.filter(isRedirect))

/** The redirect methods that always need a return URL (API §4.11). */
export const ReturningMethod = Words(...methods.filter(isRedirect).filter((method) => method !== 'bnpl'))

export const Mode = Words(
  'card',
  'redirect',
  'applepay',
  'googlepay',
  'checkout-session',
  'click-to-pay',
  'gift-card',
  'bank',
)
export type Mode = Static<typeof Mode>

const cardSchemes = [
  'accel',
  'amex',
  'bancontact',
  'carte-bancaire',
  'cirrus',
  'culiance',
  'dankort',
  'diners-club',
  'discover',
  'eftpos-australia',
  'elo',
  'hipercard',
  'jcb',
  'maestro',
  'mastercard',
  'mir',
  'nyce',
  'other',
  'pulse',
  'qcard',
  'rupay',
  'star',
  'uatp',
  'unionpay',
  'visa',
] as const

export const CardScheme = Words(...cardSchemes)
export type CardScheme = Static<typeof CardScheme>

export const isCardScheme = (text: string): text is CardScheme =>
  cardSchemes.some((scheme) => scheme === text)

const cardTypes = ['credit', 'debit', 'prepaid'] as const

export const CardType = Words(...cardTypes)
export type CardType = Static<typeof CardType>

export const isCardType = (text: string): text is CardType => cardTypes.some((type) => type === text)

export const InstrumentType = Words(
  'pan',
  'card_token',
  'redirect',
  'redirect_token',
  'googlepay',
  'applepay',
  'network_token',
  'plaid',
  'bank',
)
export type InstrumentType = Static<typeof InstrumentType>

export const ApprovalTarget = Words('new_window', 'any')
export type ApprovalTarget = Static<typeof ApprovalTarget>

/** How the buyer approves: by a redirect, or with the provider's own client library. */
export const IntegrationClient = Words('redirect', 'web', 'android', 'ios')
export type IntegrationClient = Static<typeof IntegrationClient>
