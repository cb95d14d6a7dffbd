import type { CardForCall, NetworkTokenForCall, PaymentContext, ServiceForCall } from '../contract/call.ts'
import type { ErrorCode } from '../contract/error-codes.ts'
import { takesCardNumbers } from '../wire/definition-fields.ts'

/** What pays, as Checkout.com wants it; or why it cannot pay here. */
export type Source = { source: Record<string, unknown> } | { refused: ErrorCode; reason: string }

/** `source` for the instrument. */
export function toSource(
  payment: Pick<PaymentContext, 'instrument' | 'storesInstrument' | 'storedCredential'>,
  fields: ServiceForCall['fields'],
  holderName: string | null,
): Source {
  const { card, networkToken, serviceToken, providerToken } = payment.instrument
  if (providerToken !== undefined) return withCredential(tokenSource(providerToken), payment)
  if (serviceToken !== undefined) return withCredential(storedSource(serviceToken), payment)
  if (networkToken) return withCredential(networkTokenSource(networkToken, holderName), payment)
  if (!card)
    return { refused: 'unsupported_transaction', reason: 'an earlier payment cannot be charged again here' }
  return takesCardNumbers(fields)
    ? withCredential({ source: cardSource(card, holderName) }, payment)
    : { refused: 'invalid_service_configuration', reason: 'this service may not be sent card numbers' }
}

/** Whether the card is stored already, and whether Checkout.com stores it now. */
function withCredential(
  read: Source,
  { storesInstrument, storedCredential }: Pick<PaymentContext, 'storesInstrument' | 'storedCredential'>,
): Source {
  if ('refused' in read) return read
  const isStored = storedCredential?.usage === 'subsequent'
  return {
    source: {
      ...read.source,
      ...(isStored && { stored: true }),
      ...(read.source['type'] !== 'id' && { store_for_future_use: storesInstrument }),
    },
  }
}

/** `MM/YY` in Checkout.com's two members. */
function expiryOf(date: string) {
  const [month, year] = date.split('/')
  return { expiry_month: Number(month), expiry_year: 2000 + Number(year) }
}

const cardSource = (card: CardForCall, holderName: string | null): Record<string, unknown> => ({
  type: 'card',
  number: card.number,
  ...expiryOf(card.expirationDate),
  ...(card.securityCode && { cvv: card.securityCode }),
  ...(holderName && { name: holderName }),
})

/** The token of Checkout.com's script, alone or in the object that the script gives to the page. */
function tokenSource(token: string | Readonly<Record<string, unknown>>): Source {
  const value = typeof token === 'string' ? token : token['token']
  return typeof value === 'string' && /^tok_\w+$/.test(value)
    ? { source: { type: 'token', token: value } }
    : { refused: 'invalid_payment_method', reason: 'this is not a token of the payment service’s script' }
}

const storedSource = (token: string): Source =>
  /^src_\w+$/.test(token)
    ? { source: { type: 'id', id: token } }
    : { refused: 'invalid_payment_method', reason: 'this is no token of this payment service' }

/** The schemes whose network tokens Checkout.com takes. */
const schemeTokens: Readonly<Record<string, string>> = { mastercard: 'mdes', visa: 'vts' }
const walletTokens: Partial<Record<NetworkTokenForCall['source'], string>> = {
  'apple-pay': 'applepay',
  'google-pay': 'googlepay',
}

function networkTokenSource(token: NetworkTokenForCall, holderName: string | null): Source {
  const type = walletTokens[token.source] ?? schemeTokens[token.scheme ?? '']
  if (type === undefined)
    return { refused: 'unsupported_payment_method', reason: 'the scheme’s network tokens are not taken here' }
  return {
    source: {
      type: 'network_token',
      token: token.number,
      ...expiryOf(token.expirationDate),
      token_type: type,
      ...(token.cryptogram && { cryptogram: token.cryptogram }),
      ...(token.eci && { eci: token.eci }),
      ...(holderName && { name: holderName }),
    },
  }
}
