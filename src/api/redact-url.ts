/** Query parameters that are credentials: session exchange and completion carry them (FIGURES §1.4). */
const credentials = /([?&](?:token|authorization_token)=)[^&]*/gi

/** Digits that could be a card's, wherever a client put them. */
const cardLike = /\d(?:(?:[ +]|%20)?\d){12,18}/g

/** A URL as a log may hold it: credentials, the secret part of notification and return URLs and what could be a card number are taken out. */
export const redactUrl = (url: string): string =>
  url
    .replace(credentials, '$1***')
    .replace(/^(\/(?:notifications|approvals)\/[^/]+\/[^/]+\/)[^/?]+/, '$1***')
    .replace(cardLike, '***')
