import { isSignature } from '../../base/cipher.ts'
import type { World } from '../../world.ts'

/**
 * The credential of a session exchange (semantics §3.12). It contains the merchant account, as the exchange
 * has no bearer token that would name it.
 */
export const sessionToken = ({ cipher }: Pick<World, 'cipher'>, account: string, id: string): string =>
  `${Buffer.from(account).toString('base64url')}.${cipher.mac('session', `${account}/${id}`).toString('base64url')}`

/** The merchant account of a session token; undefined: the token is not this transaction's. */
export function accountOfSessionToken(
  world: Pick<World, 'cipher'>,
  id: string,
  token: string,
): string | undefined {
  const [encoded = '', signature = '', ...others] = token.split('.')
  const account = Buffer.from(encoded, 'base64url').toString()
  const isCanonical = others.length === 0 && Buffer.from(account).toString('base64url') === encoded
  return isCanonical && isSignature(world.cipher, 'session', `${account}/${id}`, signature)
    ? account
    : undefined
}
