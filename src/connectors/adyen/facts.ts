import type { ResponseDetails, StoredCardDetails } from '../contract/outcome.ts'
import { toExpiry } from '../wire/card-expiry.ts'
import { nonEmptyText } from '../wire/provider-text.ts'

/** The members of the provider's `additionalData`; values that are not text are left out. */
export type AdditionalData = Readonly<Record<string, unknown>>

/** What each `avsResult` says of the billing address, by its number. */
const addressChecks: Readonly<Record<string, string>> = {
  '0': 'unavailable',
  '1': 'partial_match_address',
  '2': 'no_match',
  '3': 'unavailable',
  '4': 'unavailable',
  '5': 'unavailable',
  '6': 'partial_match_postcode',
  '7': 'match',
  '8': 'unavailable',
  '9': 'partial_match_address',
  '10': 'no_match',
  '11': 'unavailable',
  '12': 'partial_match_address',
  '13': 'no_match',
  '14': 'partial_match_postcode',
  '15': 'partial_match_postcode',
  '16': 'no_match',
  '17': 'no_match',
  '18': 'unavailable',
  '19': 'partial_match_postcode',
  '20': 'match',
  '21': 'partial_match_address',
  '22': 'partial_match_name',
  '23': 'partial_match_postcode',
  '24': 'match',
  '25': 'partial_match_address',
  '26': 'no_match',
}

/** What each `cvcResult` says of the security code, by its number. */
const securityCodeChecks: Readonly<Record<string, string>> = {
  '0': 'unavailable',
  '1': 'match',
  '2': 'no_match',
  '3': 'unavailable',
  '4': 'not_provided',
  '5': 'unavailable',
  '6': 'not_provided',
}

/** `20 Name, address and zip match` → `20`. */
const leadingNumber = (value: unknown): string => /^\d+/.exec(nonEmptyText(value) ?? '')?.[0] ?? ''

/** `05 : Do not honor` → `05`; the issuer's response code (ISO 8583, field 39). */
const issuerCode = (value: unknown): string | null =>
  /^([0-9A-Z]{2})\s*(?::|$)/.exec(nonEmptyText(value) ?? '')?.[1] ?? null

/** `01 : New account information available` → `01`. */
const adviceCode = (value: unknown): string | null =>
  /^(\d{2,3})\s*(?::|$)/.exec(nonEmptyText(value) ?? '')?.[1] ?? null

/** The facts of an authorization. Members that the provider did not send are left out. */
export function factsOf(data: AdditionalData): ResponseDetails {
  const issuer = issuerCode(data['refusalReasonRaw'])
  const facts = {
    auth_response_code: issuer,
    iso_response_code: issuer,
    avs_response_code: addressChecks[leadingNumber(data['avsResult'])] ?? null,
    cvv_response_code: securityCodeChecks[leadingNumber(data['cvcResult'])] ?? null,
    scheme_transaction_id: nonEmptyText(data['networkTxReference']),
    merchant_advice_code: adviceCode(data['merchantAdviceCode']),
  } satisfies ResponseDetails
  return Object.fromEntries(Object.entries(facts).filter(([, value]) => value !== null))
}

/** The provider's token of a card that the payment stored: the shopper's reference and the token's id. */
export function storedTokenOf(data: AdditionalData): string | undefined {
  const token =
    nonEmptyText(data['tokenization.storedPaymentMethodId']) ??
    nonEmptyText(data['recurring.recurringDetailReference'])
  const shopper =
    nonEmptyText(data['tokenization.shopperReference']) ?? nonEmptyText(data['recurring.shopperReference'])
  return token && shopper ? toServiceToken(shopper, token) : undefined
}

/** The provider's names of schemes that Railyard names otherwise. */
const schemes: Readonly<Record<string, string>> = {
  cartebancaire: 'carte-bancaire',
  cup: 'unionpay',
  diners: 'diners-club',
  eftpos_australia: 'eftpos-australia',
  mc: 'mastercard',
}

const cardTypes = {
  charge: 'credit',
  credit: 'credit',
  debit: 'debit',
  deferred_debit: 'debit',
  prepaid: 'prepaid',
} as const

/**
 * The card of a payment: its brand is in every answer, and the rest where the merchant's account is set to send
 * it (`additionalData`).
 */
export function storedCardOf(data: AdditionalData, brand: string | null): StoredCardDetails {
  const [, month, year] = /^(\d{1,2})\/(\d{4})$/.exec(nonEmptyText(data['expiryDate']) ?? '') ?? []
  const funding = nonEmptyText(data['fundingSource'])?.toLowerCase() ?? ''
  const name = brand ?? nonEmptyText(data['cardPaymentMethod']) ?? nonEmptyText(data['paymentMethod'])
  return {
    scheme: schemes[name ?? ''] ?? name,
    bin: nonEmptyText(data['issuerBin']) ?? nonEmptyText(data['cardBin']),
    last4: nonEmptyText(data['cardSummary']),
    expirationDate: toExpiry(month, year),
    type: isCardType(funding) ? cardTypes[funding] : null,
    country: nonEmptyText(data['cardIssuingCountry']),
  }
}

const isCardType = (funding: string): funding is keyof typeof cardTypes => Object.hasOwn(cardTypes, funding)

/** A stored card can be charged only together with the shopper whose card it is. */
export const toServiceToken = (shopper: string, token: string): string => `${shopper}/${token}`

export interface StoredCard {
  shopper: string
  token: string
}

/** Undefined: the text is not a token of this connector. */
export function readServiceToken(text: string): StoredCard | undefined {
  const at = text.lastIndexOf('/')
  return at < 3 || at === text.length - 1
    ? undefined
    : { shopper: text.slice(0, at), token: text.slice(at + 1) }
}
