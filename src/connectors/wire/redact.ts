import type { Outcome } from '../contract/outcome.ts'

/**
 * Members of provider messages with card data or credentials, which are never stored, whichever side sent
 * them.
 */
const cardNumbers = new Set(['number', 'account_number', 'card_number', 'pan', 'acctNumber'])
const secrets = new Set([
  'security_code',
  'securityCode',
  'cvc',
  'cvv',
  'pin',
  'cryptogram',
  'cavv',
  'authenticationValue',
  'access_token',
  'authorization_token',
  'client_token',
  'client_secret',
  'session_token',
  'token',
  'encryptedCard',
  'cardToken',
  'webhookSecret',
  'encryptedCardNumber',
  'encryptedExpiryMonth',
  'encryptedExpiryYear',
  'encryptedSecurityCode',
  'applePayToken',
  'googlePayToken',
  'authorisationToken',
  'redirectResult',
  'storedPaymentMethodId',
  'vault_id',
  'recurringDetailReference',
  'tokenAuthenticationVerificationValue',
  'threeDSResult',
])

/** First six and last four digits, as PCI DSS 4.0.1 §3.4.1 allows. */
export function maskCardNumber(number: string): string {
  // by code points: PostgreSQL cannot store half of a surrogate pair
  const characters = [...number]
  const { length } = characters
  return length < 13
    ? '*'.repeat(length)
    : `${characters.slice(0, 6).join('')}${'*'.repeat(length - 10)}${characters.slice(-4).join('')}`
}

/**
 * Railyard's URLs whose token is their only credential: for payment services' notifications, for the buyer's
 * return, and of a payment link.
 */
const ourUrl = /(?:notifications|approvals)\/[^\s"]*|\/pay\/[A-Za-z0-9_-]{43}(?![A-Za-z0-9_-])/g
const urlToken = /\/[A-Za-z0-9_-]{43}(?![A-Za-z0-9_-])/g
const withoutTokens = (url: string) => url.replace(urlToken, '/***')

/** A token as it appears in the path of a request. */
const inPath = (token: string) => encodeURIComponent(token.toWellFormed())

/** The innermost member that a field names: `card[cvc]` is `cvc`, and so is `card.cvc`. */
const innermost = (field: string): string => /[[.]([^[\].]+)\]?$/.exec(field)?.[1] ?? field

/**
 * Providers' ids of stored cards, of their customers and mandates, by which a card can be charged again
 * (Stripe, Checkout.com, Mollie).
 */
const storedCardIds = /(?<![A-Za-z0-9_])(?:cus|pm|src|cst|mdt)_[A-Za-z0-9]{8,}/g
const withoutStoredCards = (text: string) => (text.includes('_') ? text.replace(storedCardIds, '***') : text)

/** PayPal's links to stored accounts, which name them. */
const storedAccount = /(?<=\/payment-tokens\/)[^/?\s"]+/g

/** Masks a number wherever it appears in a text; a card number also with spaces, dots or hyphens in it. */
function numberMask(number: string): (text: string) => string {
  const masked = maskCardNumber(number)
  if (!/^\d{13,19}$/.test(number)) return (text) => text.replaceAll(number, masked)
  const ending = number.slice(-3)
  let spelled: RegExp | undefined
  return (text) => {
    if (text.length < number.length || !text.includes(ending)) return text
    spelled ??= new RegExp([...number].join('[ .-]?'), 'g')
    return text.replace(spelled, masked)
  }
}

/**
 * Returns a function that copies a message without card data and credentials: by the names of its members,
 * and wherever this call's card number or token appears.
 */
export function redactor(cardNumber: string | undefined, token?: string): (value: unknown) => unknown {
  const masked = cardNumber ? numberMask(cardNumber) : (text: string) => text
  const cleanText = (text: string, member: string | undefined): string => {
    if (member && secrets.has(member)) return '***'
    if (member && cardNumbers.has(member)) return maskCardNumber(text)
    const open = masked(
      withoutStoredCards(
        text.includes('/') ? text.replace(ourUrl, withoutTokens).replace(storedAccount, '***') : text,
      ),
    )
    return token ? open.replaceAll(token, '***').replaceAll(inPath(token), '***') : open
  }
  // a provider may write a card number or a security code as a number, of which JSON keeps some 16 digits
  const cleanNumber = (value: number, member: string | undefined): unknown => {
    if (value === Number(cardNumber || Number.NaN)) return maskCardNumber(`${value}`)
    return member && (secrets.has(member) || cardNumbers.has(member)) ? cleanText(`${value}`, member) : value
  }
  const clean = (value: unknown, key?: string): unknown => {
    if (typeof value === 'string') return cleanText(value, key && innermost(key))
    if (typeof value === 'number') return cleanNumber(value, key && innermost(key))
    if (Array.isArray(value)) return value.map((item) => clean(item, key))
    if (value === null || typeof value !== 'object') return value
    return Object.fromEntries(
      // clients name members too: the keys of metadata
      Object.entries(value).map(([name, inner]) => [
        masked(name),
        // what PayPal tells of a stored account has its token as `id`
        clean(inner, key === 'vault' && name === 'id' ? 'vault_id' : name),
      ]),
    )
  }
  return (value) => clean(value)
}

/** An outcome without card data in the provider's words, which Railyard stores, shows and logs. */
export const hideInOutcome = <Result extends Outcome<string>>(
  outcome: Result,
  hide: (value: unknown) => unknown,
): Result =>
  outcome.status === 'unknown'
    ? { ...outcome, reason: String(hide(outcome.reason)) }
    : { ...outcome, facts: hide(outcome.facts) }

/** The `rel` of links to the page on which a buyer approves. */
const approvalLinks = new Set<unknown>(['approve', 'payer-action'])

/** A challenge of Adyen's, or one of its hosted sessions: their `url` is the page. */
const isPageOfProvider = (answer: object): boolean =>
  'paymentMethodType' in answer || ('mode' in answer && answer.mode === 'hosted')

/** Members whose `url` or `href` is the page on which a buyer, or a tester, approves. */
const approvalMembers = new Set([
  'redirect_to_url',
  'alipay_handle_redirect',
  'checkout',
  'changePaymentState',
])

/**
 * A copy of a payment service's answer without the URLs of approval pages: a client that may read a payment's
 * timeline must not be able to approve it.
 */
export function withoutApprovalPages(answer: unknown): unknown {
  return withoutPages(answer, false)
}

function withoutPages(answer: unknown, isApproval: boolean): unknown {
  if (Array.isArray(answer)) return answer.map((item) => withoutPages(item, isApproval))
  if (answer === null || typeof answer !== 'object') return answer
  const isApprovalLink = isApproval || ('rel' in answer && approvalLinks.has(answer.rel))
  return Object.fromEntries(
    Object.entries(answer).map(([name, inner]) => {
      const isPage =
        name === 'redirect_url' ||
        (name === 'href' && isApprovalLink) ||
        (name === 'url' && (isApproval || isPageOfProvider(answer)))
      const isOpaque = isPage && typeof inner === 'string'
      // Checkout.com's link to the page is a member of its own
      if (name === 'redirect' && isLink(inner)) return [name, { ...inner, href: '***' }]
      return [name, isOpaque ? '***' : withoutPages(inner, approvalMembers.has(name))]
    }),
  )
}

const isLink = (value: unknown): value is { href: string } =>
  typeof value === 'object' && value !== null && 'href' in value && typeof value.href === 'string'
