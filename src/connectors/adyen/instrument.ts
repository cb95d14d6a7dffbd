import type { AuthenticationProof } from '../contract/authentication-proof.ts'
import type {
  CardForCall,
  Instrument,
  NetworkTokenForCall,
  PaymentContext,
  ServiceForCall,
} from '../contract/call.ts'
import type { ErrorCode } from '../contract/error-codes.ts'
import { takesCardNumbers } from '../wire/definition-fields.ts'
import { readServiceToken } from './facts.ts'

/** What pays, as the provider wants it; or why it cannot pay here. */
export type PaymentMethod =
  | {
      paymentMethod: Record<string, unknown>
      mpiData?: Record<string, unknown>
      /** Of a stored card, which the provider charges together with its shopper only. */
      shopperReference?: string
    }
  | { refused: ErrorCode; reason: string }

/** `paymentMethod` for the instrument, and the proof that comes with a token or a wallet. */
export function toPaymentMethod(
  { instrument, authentication }: Pick<PaymentContext, 'instrument' | 'authentication'>,
  fields: ServiceForCall['fields'],
  holderName: string | null,
): PaymentMethod {
  const { card, networkToken, serviceToken, providerToken } = instrument
  const proof = authentication && { mpiData: toMpiData(authentication) }
  if (providerToken !== undefined) return withProof(encryptedMethod(providerToken), proof)
  if (serviceToken !== undefined) return withProof(storedMethod(serviceToken), proof)
  if (networkToken) return tokenMethod(networkToken, holderName, proof?.mpiData)
  if (!card)
    return { refused: 'unsupported_transaction', reason: 'an earlier payment cannot be charged again here' }
  return takesCardNumbers(fields)
    ? withProof({ paymentMethod: cardMethod(card, holderName) }, proof)
    : { refused: 'invalid_service_configuration', reason: 'this service may not be sent card numbers' }
}

const withProof = (
  method: PaymentMethod,
  proof: { mpiData: Record<string, unknown> } | undefined,
): PaymentMethod => ('refused' in method ? method : { ...method, ...proof })

/** `MM/YY` in the provider's two members. */
function expiryOf(date: string) {
  const [month = '', year = ''] = date.split('/')
  return { expiryMonth: month, expiryYear: `20${year}` }
}

export const cardMethod = (card: CardForCall, holderName: string | null) => ({
  type: 'scheme',
  number: card.number,
  ...expiryOf(card.expirationDate),
  ...(card.securityCode && { cvc: card.securityCode }),
  ...(holderName && { holderName }),
})

function storedMethod(serviceToken: string): PaymentMethod {
  const stored = readServiceToken(serviceToken)
  return stored
    ? {
        paymentMethod: { type: 'scheme', storedPaymentMethodId: stored.token },
        shopperReference: stored.shopper,
      }
    : { refused: 'invalid_payment_method', reason: 'this is no token of this payment service' }
}

/** The provider's names of the schemes that network tokens have. */
const tokenBrands: Readonly<Record<string, string>> = {
  amex: 'amex',
  discover: 'discover',
  jcb: 'jcb',
  maestro: 'maestro',
  mastercard: 'mc',
  visa: 'visa',
}

const walletBrands = { 'apple-pay': 'applepay', 'google-pay': 'googlepay' } as const

/** A wallet's cryptogram is an authentication value; a scheme's token has a value of its own kind. */
function tokenMethod(
  { source, number, expirationDate, cryptogram, eci, scheme }: NetworkTokenForCall,
  holderName: string | null,
  proof: Record<string, unknown> | undefined,
): PaymentMethod {
  const shared = { number, ...expiryOf(expirationDate), ...(holderName && { holderName }) }
  const eciMember = eci && { eci }
  if (source === 'apple-pay' || source === 'google-pay')
    return {
      paymentMethod: { type: 'scheme', ...shared, brand: walletBrands[source] },
      ...(cryptogram && {
        mpiData: { authenticationResponse: 'Y', directoryResponse: 'Y', cavv: cryptogram, ...eciMember },
      }),
    }
  const brand = tokenBrands[scheme ?? '']
  const mpiData = {
    ...proof,
    ...(cryptogram && { tokenAuthenticationVerificationValue: cryptogram }),
    ...eciMember,
  }
  return {
    paymentMethod: { type: 'networkToken', ...shared, ...(brand && { brand }) },
    ...(Object.keys(mpiData).length > 0 && { mpiData }),
  }
}

/** The external authentication (EMV 3-D Secure), by Railyard or by the merchant. */
const toMpiData = (proof: AuthenticationProof): Record<string, unknown> =>
  withoutNulls({
    cavv: proof.cavv,
    cavvAlgorithm: proof.cavv_algorithm,
    eci: proof.eci,
    // 3-D Secure 1 has an XID where version 2 has the directory server's id
    [proof.version.startsWith('1') ? 'xid' : 'dsTransID']: proof.directory_transaction_id,
    directoryResponse: proof.directory_response,
    // without a challenge the directory's answer is the result
    authenticationResponse: proof.authentication_response ?? frictionless(proof.directory_response),
    threeDSVersion: proof.version,
    transStatusReason: proof.transaction_reason,
  })

const frictionless = (response: string): string | null =>
  ['Y', 'N', 'U', 'A'].includes(response) ? response : null

export const withoutNulls = (members: Readonly<Record<string, unknown>>): Record<string, unknown> =>
  Object.fromEntries(Object.entries(members).filter(([, value]) => value !== null && value !== undefined))

/**
 * The members of the page's `state.data.paymentMethod` that reach the provider. It comes from the buyer's
 * browser: a card number, and another buyer's stored card, do not pass.
 */
const encryptedMembers = [
  'brand',
  'checkoutAttemptId',
  'encryptedCard',
  'encryptedCardNumber',
  'encryptedExpiryMonth',
  'encryptedExpiryYear',
  'encryptedSecurityCode',
  'fundingSource',
  'holderName',
  'sdkData',
  'threeDS2SdkVersion',
  'applePayToken',
  'googlePayToken',
  'googlePayCardNetwork',
] as const

/** The member that each type of encrypted payment method must have. */
const essentials: Readonly<Record<string, readonly string[]>> = {
  scheme: ['encryptedCardNumber', 'encryptedCard'],
  card: ['encryptedCardNumber', 'encryptedCard'],
  bcmc: ['encryptedCardNumber', 'encryptedCard'],
  applepay: ['applePayToken'],
  googlepay: ['googlePayToken'],
}

const notEncrypted: PaymentMethod = {
  refused: 'invalid_payment_method',
  reason: 'these are not the encrypted fields of the payment service’s script',
}

function encryptedMethod(token: NonNullable<Instrument['providerToken']>): PaymentMethod {
  const members = membersOf(token)
  if (!members) return notEncrypted
  const type = typeof members['type'] === 'string' ? members['type'] : 'scheme'
  const isComplete = essentials[type]?.some((name) => typeof members[name] === 'string')
  if (!isComplete) return notEncrypted
  const passed = encryptedMembers.flatMap((name) =>
    typeof members[name] === 'string' ? [[name, members[name]] as const] : [],
  )
  return { paymentMethod: { type, ...Object.fromEntries(passed) } }
}

/** The encrypted fields themselves, or the whole data of the page's component, as JSON or as an object. */
function membersOf(token: NonNullable<Instrument['providerToken']>): Record<string, unknown> | undefined {
  const value = typeof token === 'string' ? parsed(token) : token
  if (!isObject(value)) return undefined
  const inner = value['paymentMethod']
  return isObject(inner) ? inner : value
}

const isObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

function parsed(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}
