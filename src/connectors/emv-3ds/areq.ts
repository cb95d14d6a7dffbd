import currencyCodes from 'currency-codes'
import type { BrowserForCall, Shipping } from '../contract/call.ts'
import type { AuthenticationRequest, SimulatedOutcome } from '../contract/three-d-secure-server.ts'
import { numericCountry } from './countries.ts'
import type { Version } from './version.ts'

/**
 * An AReq for the browser channel (EMV 3DS, table B.1). Unknown members are left out. `now` in milliseconds
 * since 1970.
 */
export function areq(
  request: AuthenticationRequest,
  version: Version,
  resultsUrl: string,
  now: number,
): Record<string, unknown> {
  const { card, profile, buyer, browser } = request
  return withoutUndefined({
    messageType: 'AReq',
    messageVersion: version,
    deviceChannel: BROWSER,
    messageCategory: request.amount === 0 ? NON_PAYMENT : PAYMENT,
    threeDSServerTransID: request.id,
    // members of the 3DS server, which replaces them with its own
    threeDSServerRefNumber: 'RAILYARD',
    threeDSServerURL: resultsUrl,
    threeDSCompInd: request.methodCompletion,
    threeDSRequestorID: cut(profile.merchant_acquirer_id, 35),
    threeDSRequestorName: cut(profile.merchant_name, 40),
    threeDSRequestorURL: cut(profile.merchant_url, 2048),
    threeDSRequestorAuthenticationInd: authenticationIndicator(request),
    acquirerBIN: cut(profile.merchant_acquirer_bin, 11),
    acquirerMerchantID: cut(profile.merchant_acquirer_id, 35),
    merchantName: cut(profile.merchant_name, 40),
    merchantCountryCode: profile.merchant_country_code,
    mcc: profile.merchant_category_code,
    acctNumber: card.number,
    cardExpiryDate: `${card.expirationDate.slice(3, 5)}${card.expirationDate.slice(0, 2)}`,
    cardholderName: latin(buyer.name),
    email: buyer.email !== null && buyer.email.length <= 254 ? cut(buyer.email, 254) : undefined,
    billAddrLine2: cut(buyer.billing?.address?.line2, 50),
    ...addressMembers('bill', buyer.billing),
    ...addressMembers('ship', buyer.shipping),
    ...(browser && browserMembers(browser, version)),
    ...purchase(request, now),
    notificationURL: request.notificationUrl,
    messageExtension: request.simulated ? [simulatedExtension(request.simulated)] : undefined,
  })
}

const BROWSER = '02'
const PAYMENT = '01'
const NON_PAYMENT = '02'

/** Railyard's own message extension, which every party but the sandbox's may ignore. */
export const simulatedExtension = (data: SimulatedOutcome) => ({
  name: 'Simulated outcome',
  id: 'railyard-sandbox',
  criticalityIndicator: false,
  data,
})

/**
 * `threeDSRequestorAuthenticationInd`: 01 payment, 02 recurring, 03 instalment, 04 a card is added. A payment
 * that also stores the card is 01.
 */
function authenticationIndicator({ reason, amount }: AuthenticationRequest): string {
  if (reason === 'recurring') return '02'
  if (reason === 'installment') return '03'
  return amount === 0 ? '04' : '01'
}

/**
 * Required for payments, and for agreements on future payments. Merchants do not tell us when an agreement
 * ends and how often it pays, so it has an open end and may pay on any day.
 */
function purchase({ amount, currency, reason }: AuthenticationRequest, now: number) {
  const isAgreement = reason === 'recurring' || reason === 'installment'
  if (amount === 0 && !isAgreement) return {}
  const { number, digits = 2 } = currencyCodes.code(currency) ?? {}
  return {
    purchaseAmount: String(amount),
    purchaseCurrency: number,
    purchaseExponent: String(digits),
    purchaseDate: new Date(now).toISOString().replace(/\D/g, '').slice(0, 14),
    ...(isAgreement && { recurringExpiry: '99991231', recurringFrequency: '1' }),
  }
}

/** The members depend on whether the browser runs scripts; versions before 2.2.0 have no member for that. */
function browserMembers(browser: BrowserForCall, version: Version) {
  const measured = {
    browserJavaEnabled: browser.java_enabled,
    browserColorDepth: colorDepth(browser.color_depth, version),
    browserScreenHeight: pixels(browser.screen_height),
    browserScreenWidth: pixels(browser.screen_width),
    browserTZ: String(Math.trunc(browser.time_zone_offset)),
  }
  return {
    browserAcceptHeader: cut(browser.accept_header, 2048),
    browserIP: cut(browser.ip_address, 45),
    browserLanguage: language(browser.language),
    browserUserAgent: cut(browser.user_agent, 2048),
    ...(version !== '2.1.0' && { browserJavascriptEnabled: browser.javascript_enabled }),
    ...((version === '2.1.0' || browser.javascript_enabled) && measured),
  }
}

/** The next lower depth that the version has a value for; 2.3.1 added 30 bits. */
function colorDepth(bits: number, version: Version): string {
  const values = version === '2.3.1' ? [48, 32, 30, 24, 16, 15, 8, 4, 1] : [48, 32, 24, 16, 15, 8, 4, 1]
  return String(values.find((value) => value <= bits) ?? 1)
}

const pixels = (count: number) => String(Math.min(999_999, Math.max(0, Math.trunc(count))))

/** A language tag (BCP 47) of at most eight characters: it ends with a whole subtag. */
function language(tag: string): string | undefined {
  const [first = '', ...subtags] = tag.split('-')
  if (!/^[A-Za-z]{2,8}$/.test(first)) return undefined
  return subtags.reduce(
    (short, subtag) =>
      /^\w+$/.test(subtag) && short.length + subtag.length < 8 ? `${short}-${subtag}` : short,
    first,
  )
}

/** The members of an address, whose names start with `bill` or `ship`. */
const addressMembers = (prefix: 'bill' | 'ship', party: Shipping | null) => {
  const address = party?.address
  return {
    [`${prefix}AddrLine1`]: cut(address?.line1, 50),
    [`${prefix}AddrCity`]: cut(address?.city, 50),
    [`${prefix}AddrPostCode`]: cut(address?.postal_code, 16),
    [`${prefix}AddrCountry`]: address?.country ? numericCountry(address.country) : undefined,
    [`${prefix}AddrState`]: subdivision(address?.state, address?.country),
  }
}

/** The subdivision code of ISO 3166-2 (`CA` of `US-CA`). It is sent only with its country. */
function subdivision(
  state: string | null | undefined,
  country: string | null | undefined,
): string | undefined {
  const code = /^(?:[A-Z]{2}-)?([A-Z0-9]{1,3})$/.exec(state ?? '')?.[1]
  return country && numericCountry(country) ? code : undefined
}

/** The name as the schemes accept it: 2 to 45 characters without accents; undefined if it has fewer. */
function latin(name: string | null): string | undefined {
  const plain = (name ?? '')
    .normalize('NFD')
    .replace(/[^\x20-\x7e]/g, '')
    .trim()
    .slice(0, 45)
  return plain.length >= 2 ? plain : undefined
}

/** The text without control characters, cut to the member's length; undefined if it is empty. */
function cut(text: string | null | undefined, longest: number): string | undefined {
  const clean = (text ?? '')
    .toWellFormed()
    .replace(/\p{Cc}/gu, ' ')
    .trim()
  return clean === '' ? undefined : [...clean].slice(0, longest).join('')
}

const withoutUndefined = (members: Record<string, unknown>) =>
  Object.fromEntries(Object.entries(members).filter(([, value]) => value !== undefined))
