import { invalid } from '../../api/errors.ts'
import type { BuyerRow } from '../../buyers/buyer.store.ts'
import { openWalletToken, toOneTimeToken } from '../../checkout/digital-wallets/wallet-token.ts'
import type { SessionForPayment } from '../../checkout/sessions/checkout-session.store.ts'
import type { Method, Mode } from '../../connectors/contract/method.schema.ts'
import { tokenOfMethod } from '../../payment-services/tokens/payment-service-token.ts'
import type { SubmittedCard } from '../../vault/cards/card.ts'
import {
  type DescribedCard,
  readDescribedCard,
  refuseCardNumberInToken,
} from '../../vault/cards/described-card.ts'
import type { PaymentMethodRow } from '../../vault/payment-methods/payment-method.row.ts'
import { findMethodAndBuyer } from '../../vault/payment-methods/payment-method.store.ts'
import type {
  ApplePayInput,
  DelegatedPaymentInput,
  GooglePayInput,
  RedirectInput,
  StoredMethodInput,
} from '../../vault/payment-methods/payment-method-input.schema.ts'
import { openStoredCard } from '../../vault/payment-methods/stored-card.ts'
import { isTokenOnly } from '../../vault/payment-methods/token-method.ts'
import type { World } from '../../world.ts'
import type { PaymentMethodSnapshot } from '../transaction.row.ts'
import { readDelegation } from './delegated-tender.ts'
import { type Draft, giftCardTotal } from './draft.ts'
import type { Tender } from './tender.ts'
import { providerTokenTender, tokenTender } from './token-tender.ts'

type PaymentMethodInput = NonNullable<Draft['payment_method']>

/**
 * Reads the payment method of a request (semantics §5.1). Undefined: the request has none. Throws 400 with
 * the invalid field.
 */
export async function readTender(
  world: World,
  account: string,
  draft: Draft,
  session: SessionForPayment | undefined,
): Promise<Tender | undefined> {
  const { payment_method: input } = draft
  if (!input) return undefined
  if (session && 'id' in input && input.method === 'checkout-session')
    return sessionTender(world, account, session)
  if ('number' in input) {
    const method = input.method ?? 'card'
    return {
      ...(await cardTender(world, account, method, input)),
      features: method === 'card' ? [] : ['digital_wallets'],
    }
  }
  if (input.method === 'network-token' || (input.method === 'click-to-pay' && 'token' in input))
    return tokenTender(world, input)
  if (input.method === 'delegated-payment') return delegatedTender(world, account, draft, input)
  if (input.method === 'provider-token') {
    refuseCardNumberInToken(world, input.token)
    return providerTokenTender(input)
  }
  if ('id' in input) {
    const stored = input as StoredMethodInput
    const tender = await storedTender(world, account, stored)
    requireReturnUrl(tender, draft, stored)
    return tender
  }
  if ('country' in input) return redirectTender(input)
  if (input.method === 'applepay' || input.method === 'googlepay')
    return walletTender(world, account, draft, input)
  return unsupported(input)
}

/**
 * What a transaction stores of a card: only known members, as every byte is written twice (table and
 * write-ahead log).
 */
const cardSnapshot = ({
  label,
  scheme,
  bin,
  expiration_date,
  fingerprint,
  card_type,
  card_issuer_name,
  card_country,
}: DescribedCard) => ({
  label,
  scheme,
  bin,
  expiration_date,
  fingerprint,
  ...(card_type && { card_type }),
  ...(card_issuer_name && { card_issuer_name }),
  ...(card_country && { issuer_country: card_country }),
})

/** The card that a buyer's platform has delegated. Throws 400 for a payment that its token does not allow. */
async function delegatedTender(
  world: World,
  account: string,
  draft: Draft,
  input: DelegatedPaymentInput,
): Promise<Tender> {
  const { card, ...delegated } = await readDelegation(world, account, draft, input)
  const tender = card.networkToken
    ? tokenTender(world, {
        method: 'network-token',
        token: card.number,
        expiration_date: card.expirationDate,
        cryptogram: card.networkToken.cryptogram,
        eci: card.networkToken.eci,
        card_suffix: card.networkToken.cardSuffix,
      })
    : await cardTender(world, account, 'card', { number: card.number, expiration_date: card.expirationDate })
  return { ...tender, delegated }
}

/** A card with its number (semantics §5.1). */
export async function cardTender(
  world: World,
  account: string,
  method: Method,
  input: SubmittedCard & { external_identifier?: string | null },
): Promise<Tender> {
  const read = await readDescribedCard(world, account, input, '/payment_method')
  return {
    method,
    routedAs: 'card',
    features: [],
    instrumentType: 'pan',
    // without a mode, the method `card` is shown with the mode `card`
    snapshot: {
      method,
      ...(method !== 'card' && { mode: 'card' as const }),
      ...cardSnapshot(read.snapshot),
      ...(input.external_identifier && { external_identifier: input.external_identifier }),
    },
    instrument: { card: read.card },
    card: read,
  }
}

/**
 * The token from the wallet on the buyer's device, verified and decrypted: a device number with its
 * cryptogram, or a card number (semantics §5.1, §11).
 */
async function walletTender(
  world: World,
  account: string,
  draft: Draft,
  input: ApplePayInput | GooglePayInput,
): Promise<Tender> {
  const { method, token } = input
  const { currency } = draft
  // the buyer approved the amount in the wallet without the gift cards' part
  const amount = draft.amount - giftCardTotal(draft)
  const opened = await openWalletToken(world, account, { method, token, amount, currency })
  const { number, expirationDate, cryptogram, eci, source } = opened
  const { snapshot } = await readDescribedCard(
    world,
    account,
    { number, expiration_date: expirationDate },
    '/payment_method/token',
    { isDeviceNumber: opened.method !== 'PAN_ONLY' },
  )
  const { scheme } = snapshot
  const isCard = opened.method === 'PAN_ONLY'
  return {
    method,
    routedAs: 'card',
    features: ['digital_wallets'],
    instrumentType: method,
    // only the wallet knows the last digits of the card itself, by which the buyer recognizes it
    snapshot: { method, mode: method, ...cardSnapshot(snapshot), label: input.card_suffix ?? snapshot.label },
    instrument: isCard
      ? { card: { number, expirationDate, securityCode: null, scheme } }
      : { networkToken: { number, expirationDate, cryptogram, eci, scheme, source } },
    decrypted: {
      name:
        method === 'applepay'
          ? 'digital-wallet-apple-pay-token-decrypted'
          : 'digital-wallet-google-pay-token-decrypted',
      context: {
        version: method === 'applepay' ? 'EC_v1' : 'ECv2',
        type: isCard ? 'fpan' : 'dpan',
        expiration_date: expirationDate,
        has_cryptogram: cryptogram !== null,
        eci,
      },
    },
    oneTimeToken: toOneTimeToken(opened),
  }
}

/** The method that the buyer entered in a checkout session (semantics §9). */
async function sessionTender(
  world: World,
  account: string,
  { paymentMethod, postalCode }: SessionForPayment,
): Promise<Tender> {
  if (paymentMethod?.kind === 'id')
    return { ...(await storedTender(world, account, { id: paymentMethod.id })), postalCode }
  if (paymentMethod?.kind === 'provider-token') {
    const { token, card } = paymentMethod
    return {
      ...providerTokenTender({ ...card, token, card_suffix: card.label, card_scheme: card.scheme }),
      postalCode,
    }
  }
  if (paymentMethod?.kind !== 'card')
    throw invalid({ '/payment_method/id': 'is a checkout session without a card' })
  const { number, expirationDate } = paymentMethod.card
  return {
    ...(await cardTender(world, account, 'card', { number, expiration_date: expirationDate })),
    postalCode,
  }
}

/** A buyer who pays with a stored account may have to confirm at its provider (semantics §5.1). */
function requireReturnUrl(
  { storedMethod }: Tender,
  { merchant_initiated: byMerchant }: Draft,
  { redirect_url: url }: StoredMethodInput,
): void {
  if (storedMethod?.mode === 'redirect' && !byMerchant && !url)
    throw invalid({
      '/payment_method/redirect_url': `is required for a stored ${storedMethod.method} method`,
    })
}

/**
 * A stored payment method (`id`, semantics §5.1). Throws 400 if the account has none with this id, or if it
 * cannot be used.
 */
export async function storedTender(
  world: World,
  account: string,
  { id, security_code: code }: StoredMethodInput,
): Promise<Tender> {
  const found = await findMethodAndBuyer(world, account, id)
  if (!found) throw invalid({ '/payment_method/id': 'is not a stored payment method of this account' })
  const { row, buyer } = found
  if (row.status !== 'processing' && row.status !== 'succeeded')
    throw invalid({
      '/payment_method/id': `names a payment method that is ${row.status.replaceAll('_', ' ')}`,
    })
  if (isTokenOnly(row)) return tokenOnlyTender(world, row, buyer, code ?? null)
  const method = row.method as Method
  const isCard = row.mode === 'card'
  return {
    method,
    routedAs: isCard ? 'card' : method,
    features: [],
    instrumentType: isCard ? 'pan' : 'redirect_token',
    snapshot: storedMethodSnapshot(row),
    instrument: isCard ? { card: await openStoredCard(world, row, code ?? null) } : {},
    storedMethod: row,
    owner: buyer,
  }
}

/**
 * A stored card without a number here, or a buyer's account at a provider. Only the payment service that stores it
 * can charge it. Throws 400 if that payment service has given no token yet.
 */
async function tokenOnlyTender(
  world: World,
  row: PaymentMethodRow,
  owner: BuyerRow | null,
  securityCode: string | null,
): Promise<Tender> {
  if (securityCode !== null)
    throw invalid({
      '/payment_method/security_code':
        'cannot be sent: the payment service stores the payment method, and asks for no code',
    })
  const token = await tokenOfMethod(world, row)
  if (!token)
    throw invalid({ '/payment_method/id': 'names a method that its payment service has not stored yet' })
  const isCard = row.mode === 'card'
  const method = isCard ? 'card' : (row.method as Method)
  return {
    method,
    routedAs: method,
    features: [],
    onlyService: token.service,
    instrumentType: isCard ? 'card_token' : 'redirect_token',
    snapshot: storedMethodSnapshot(row),
    instrument: { serviceToken: token.token },
    storedMethod: row,
    owner,
  }
}

const storedMethodSnapshot = (row: PaymentMethodRow): PaymentMethodSnapshot => ({
  method: row.method as Method,
  id: row.id,
  mode: row.mode as Mode,
  label: row.label,
  scheme: row.scheme,
  expiration_date: row.expiration_date,
  fingerprint: row.fingerprint,
  bin: row.bin,
  card_type: row.card_type,
  ...(row.card_issuer_name && { card_issuer_name: row.card_issuer_name }),
  ...(row.card_country && { issuer_country: row.card_country }),
  ...(row.country && { country: row.country }),
  ...(row.currency && { currency: row.currency }),
  ...(row.external_identifier && { external_identifier: row.external_identifier }),
})

const redirectTender = (input: RedirectInput): Tender => ({
  method: input.method,
  routedAs: input.method,
  features: [],
  instrumentType: 'redirect',
  snapshot: {
    method: input.method,
    country: input.country,
    currency: input.currency,
    ...(input.external_identifier && { external_identifier: input.external_identifier }),
  },
  instrument: {},
  redirect: input,
  tokenized: { method: input.method, mode: 'redirect', country: input.country, currency: input.currency },
})

/** A method that no payment service takes: routing finds no service, and the payment fails. */
function unsupported(input: PaymentMethodInput): Tender {
  const method: Method =
    'method' in input &&
    input.method &&
    input.method !== 'id' &&
    input.method !== 'checkout-session' &&
    input.method !== 'provider-token' &&
    input.method !== 'delegated-payment'
      ? input.method
      : 'card'
  return {
    method,
    routedAs: method,
    features: [],
    instrumentType: null,
    snapshot: { method },
    instrument: {},
  }
}
