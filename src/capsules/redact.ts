/** Members of a payment service's answer that tell of a person or a card, in any spelling: `first_name`, `firstName`. */
const personalMembers =
  /name|e?mail|phone|address|street|city|postal|zip|birth|holder|payer|buyer|customer|shipping|billing|tax_?id|bin$|last_?4|first_?6|iin|expir(y|ation)|exp_|fingerprint|(^|_)ip(_|$)|user_?agent|device|iban|account_?(number|id)|descriptor|token/i

/** Their values are words that a connector reads, and of no person. */
const impersonal = /^(error_?name|name_?matches|authorization_?expires?_?at|expires?_?at|expiration_?time)$/i

/** Fields of rules that have texts of the merchant. */
const merchantTexts = /^(metadata\.|buyer_external_identifier$)/

const email = /[^\s"@<>]+@[^\s"@<>]+\.[^\s"@<>]+/g
const ipAddress = /\b\d{1,3}(?:\.\d{1,3}){3}\b/g
/** A card number, whole or masked, with or without spaces. Ids of payments that look like one go, too. */
const cardNumber = /(?<![\dA-Za-z-])\d(?:[ -]?[\d*xX•]){11,18}(?![\dA-Za-z-])/g

const REDACTED = 'redacted'
/** What stands for a credential in the journal, such as the URL of a buyer's approval. */
const HIDDEN = '***'

/**
 * Copies values without what tells of a person or a card. What the payment's own request said of its buyer is
 * replaced wherever it stands, the same text by the same placeholder, so that rules decide as they did.
 */
export function capsuleRedactor(personal: readonly unknown[]) {
  const placeholders = new Map<string, string>()
  for (const text of personal.flatMap(textsOf))
    if (text.trim() !== '' && !placeholders.has(text))
      placeholders.set(text, `${REDACTED}-${placeholders.size + 1}`)
  // short texts only as a whole: a country's code is part of many words
  const long = [...placeholders]
    .filter(([text]) => text.length > 3)
    .toSorted(([a], [b]) => b.length - a.length)

  const redactPatterns = (text: string): string =>
    text.replaceAll(email, REDACTED).replaceAll(ipAddress, REDACTED).replaceAll(cardNumber, REDACTED)

  const redactText = (text: string): string =>
    placeholders.get(text) ??
    redactPatterns(long.reduce((clean, [found, placeholder]) => clean.replaceAll(found, placeholder), text))

  const redactMetadata = (metadata: Readonly<Record<string, string>>): Record<string, string> =>
    Object.fromEntries(
      Object.entries(metadata).map(([name, value]) => [
        redactPatterns(name),
        placeholders.get(value) ?? REDACTED,
      ]),
    )

  /** Of a rule: what it compares a merchant's text with may be a person's. All else is compared with words of the API. */
  function redactRule(value: unknown): unknown {
    if (Array.isArray(value)) return value.map(redactRule)
    if (typeof value === 'string') return redactPatterns(value)
    if (typeof value !== 'object' || value === null) return value
    const isOnText = 'field' in value && merchantTexts.test(String(value.field))
    return Object.fromEntries(
      Object.entries(value).map(([name, member]) => [
        name,
        isOnText && name === 'value'
          ? mapTexts(member, (text) => placeholders.get(text) ?? REDACTED)
          : redactRule(member),
      ]),
    )
  }

  /** Of a payment service's answer, also by the names of its members. */
  function redactAnswer(value: unknown): unknown {
    if (typeof value === 'string') return redactText(value)
    if (Array.isArray(value)) return value.map(redactAnswer)
    if (typeof value === 'number') return String(value).match(/^\d{12,19}$/) ? 0 : value
    if (typeof value !== 'object' || value === null) return value
    return Object.fromEntries(
      Object.entries(value).map(([name, member]) => [
        redactText(name),
        member === HIDDEN && /href|url/i.test(name)
          ? 'https://capsule.invalid/'
          : personalMembers.test(name) && !impersonal.test(name)
            ? placeholderFor(member)
            : redactAnswer(member),
      ]),
    )
  }
  return { redactText, redactMetadata, redactRule, redactAnswer }
}

/** Answers of the API may show it, and have no other text in its place. */
const countryCode = /^[A-Z]{2}$/

/** Of the same shape, with nothing of the value in it. */
function placeholderFor(value: unknown): unknown {
  if (typeof value === 'string') return countryCode.test(value) ? 'US' : REDACTED
  if (typeof value === 'number') return 0
  if (Array.isArray(value)) return value.map(placeholderFor)
  if (typeof value !== 'object' || value === null) return value
  return Object.fromEntries(Object.entries(value).map(([name, member]) => [name, placeholderFor(member)]))
}

function textsOf(value: unknown): string[] {
  if (typeof value === 'string') return [value]
  return typeof value === 'object' && value !== null ? Object.values(value).flatMap(textsOf) : []
}

function mapTexts(value: unknown, map: (text: string) => string): unknown {
  if (typeof value === 'string') return map(value)
  return Array.isArray(value) ? value.map((item) => mapTexts(item, map)) : value
}
