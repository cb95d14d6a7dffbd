import { isIP } from 'node:net'
import { badRequest } from '../../api/errors.ts'
import type { World } from '../../world.ts'

/** This server as browsers know it (WebAuthn §5.1.2): a passkey works for one relying party only. */
export interface RelyingParty {
  /** The host of `PUBLIC_URL`. */
  id: string
  origin: string
}

/** Throws 400 if `PUBLIC_URL` names an address: browsers make passkeys for host names only. */
export function relyingParty({ publicUrl }: Pick<World, 'publicUrl'>): RelyingParty {
  const { hostname, origin } = new URL(publicUrl)
  if (isIP(hostname.replace(/^\[|\]$/g, '')) !== 0)
    throw badRequest(
      'Passkeys need a host name, and PUBLIC_URL has an address: set it to the URL in the browser, such as http://localhost:8080',
    )
  return { id: hostname, origin }
}

/**
 * Ed25519, ES256 and RS256 (COSE): one of them is in every authenticator, and every version of Node that
 * Railyard runs on verifies them.
 */
export const algorithms: number[] = [-8, -7, -257]

/** Loaded when it is needed first: with its ASN.1 modules it takes 50 ms and more, which each start would wait for. */
export const webAuthn = () => import('@simplewebauthn/server')
