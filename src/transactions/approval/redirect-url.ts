import type { World } from '../../world.ts'

/** No host has this name (RFC 6761 §6.4). */
const SEALED = 'https://sealed.invalid/'
const PURPOSE = 'return-url'

/**
 * Seals a `redirect_url` that is a credential, as a payment link's is, so that it can be stored with its
 * payment.
 */
export const sealRedirectUrl = ({ cipher }: Pick<World, 'cipher'>, account: string, url: string): string =>
  SEALED + cipher.seal(PURPOSE, url, account).toString('base64url')

/** The URL of a stored `redirect_url`, sealed or not. */
export const openRedirectUrl = ({ cipher }: Pick<World, 'cipher'>, account: string, url: string): string =>
  url.startsWith(SEALED)
    ? cipher.open(PURPOSE, Buffer.from(url.slice(SEALED.length), 'base64url'), account)
    : url
