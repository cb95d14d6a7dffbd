/** Query parameters that are credentials: session exchange, completion and the files of reports carry them (FIGURES §1.4). */
const credentials = /([?&](?:token|authorization_token|signature)=)[^&]*/gi

/** Query parameters by which people are looked for. */
const personal = /([?&](?:search|buyer_search|buyer_email_address|buyer_external_identifier|ip_address)(?:\[\]|%5B%5D)?=)[^&]*/gi

/** Digits that could be a card's, wherever a client put them; ids are passed over first, since their groups of digits could be taken for one. */
const cardLike = /[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}|\d(?:(?:[ +._-]|%20|%2D|%2E)?\d){12,18}/gi
const isUuid = (text: string) => text.length === 36 && text[8] === '-'

/** A text of a stranger's as a log may hold it: what could be a card number is taken out. */
export const withoutCardNumbers = (text: string): string => text.replace(cardLike, (found) => (isUuid(found) ? found : '***'))

/** A URL as a log may hold it: credentials, what people are looked for by, the secret part of notification, return and payment links' URLs and what could be a card number are taken out. */
export const redactUrl = (url: string): string =>
  withoutCardNumbers(
    url
      .replace(credentials, '$1***')
      .replace(personal, '$1***')
      .replace(/^(\/invitations\/)(?!accept(?:[/?]|$))[^/?]+/, '$1***')
      .replace(/^(\/pay\/)[^/?]+/, '$1***')
      .replace(/^(\/(?:notifications|anti-fraud-notifications|approvals)\/[^/]+\/[^/]+\/)[^/?]+/, '$1***'),
  )
