import { isSignature } from '../../base/cipher.ts'
import type { World } from '../../world.ts'

/** What the payment service says of the buyer whom it sends back; nothing is believed but that they gave up. */
export type ReturnResult = 'approved' | 'cancelled' | 'failed'

type Signer = Pick<World, 'cipher'>

const returnToken = ({ cipher }: Signer, account: string, id: string) => cipher.mac('approval', `${account}/${id}`).toString('base64url')

/** Where the payment service sends the buyer's browser: to us, who find out what happened and send it on to the merchant's `redirect_url`. */
export const returnUrl = (world: Pick<World, 'cipher' | 'publicUrl'>, account: string, id: string, result: ReturnResult): string =>
  `${world.publicUrl}/approvals/${account}/${id}/${returnToken(world, account, id)}/${result}`

/** Our page that takes a cardholder to the card's issuer (`challenge`), and where the issuer's page sends them afterwards (`authenticated`). */
export const challengeUrl = (world: Pick<World, 'cipher' | 'publicUrl'>, account: string, id: string, step: 'challenge' | 'authenticated'): string =>
  `${world.publicUrl}/approvals/${account}/${id}/${returnToken(world, account, id)}/${step}`

export const isReturnToken = (world: Signer, account: string, id: string, given: string): boolean =>
  isSignature(world.cipher, 'approval', `${account}/${id}`, given)

/** The credential of a session exchange (SEMANTICS §3.12). It names its account, as the exchange has no bearer that would. */
export const sessionToken = ({ cipher }: Signer, account: string, id: string): string =>
  `${Buffer.from(account).toString('base64url')}.${cipher.mac('session', `${account}/${id}`).toString('base64url')}`

/** The account of a session token; undefined where it is not this transaction's. */
export function accountOfSessionToken(world: Signer, id: string, given: string): string | undefined {
  const [encoded = '', signature = '', ...others] = given.split('.')
  const account = Buffer.from(encoded, 'base64url').toString()
  const isCanonical = others.length === 0 && Buffer.from(account).toString('base64url') === encoded
  return isCanonical && isSignature(world.cipher, 'session', `${account}/${id}`, signature) ? account : undefined
}

/** No host has this name (RFC 6761 §6.4). */
const SEALED = 'https://sealed.invalid/'
const PURPOSE = 'return-url'

/** A URL that is a credential, in the form in which it may be kept with the payment that it is for. */
export const sealRedirectUrl = ({ cipher }: Signer, account: string, url: string): string =>
  SEALED + cipher.seal(PURPOSE, url, account).toString('base64url')

/** Where a payment's `redirect_url` leads. */
export const openRedirectUrl = ({ cipher }: Signer, account: string, url: string): string =>
  url.startsWith(SEALED) ? cipher.open(PURPOSE, Buffer.from(url.slice(SEALED.length), 'base64url'), account) : url
