import type { FastifyRequest } from 'fastify'
import type { Caller, IdentifyCaller } from '../../api/auth/caller.ts'
import { forbidden, unauthorized } from '../../api/errors.ts'
import { isSignature } from '../../base/cipher.ts'
import type { World } from '../../world.ts'
import { scopesOfUser } from '../users/user.ts'
import { mustEnroll } from './second-factor.ts'
import { findActiveSession } from './session.store.ts'
import { sessionToken } from './session-cookie.ts'

/**
 * The token that proves that a request by cookie comes from a page of this server. It is derived from the
 * session and stored nowhere.
 */
export const csrfToken = ({ cipher }: Pick<World, 'cipher'>, sessionId: string): string =>
  cipher.mac('user-session-csrf', sessionId).toString('base64url')

/**
 * A request with an `authorization` header is a key pair's, whatever cookies come with it; without one, it is
 * of the person whose session the cookie holds.
 */
export const identifyBySessionOrBearer =
  (world: World, identifyByBearer: IdentifyCaller): IdentifyCaller =>
  async (request) => {
    const token =
      request.headers.authorization === undefined ? sessionToken(world.publicUrl, request) : undefined
    return token === undefined ? identifyByBearer(request) : callerOfSession(world, request, token)
  }

/**
 * A page sends it with what it asks by itself: such requests do not keep a session from ending for want of use. It
 * can only shorten a session.
 */
const BACKGROUND = 'x-background-request'

async function callerOfSession(world: World, request: FastifyRequest, token: string): Promise<Caller> {
  const session = await findActiveSession(world, token, request.headers[BACKGROUND] === undefined)
  if (!session) throw unauthorized('the session is unknown or has ended')
  if (request.method !== 'GET' && request.method !== 'HEAD') refuseForgery(world, request, session.id)
  const { user } = session
  return {
    actor: { type: 'user', id: user.id, name: user.name, emailAddress: user.email_address },
    scopes: scopesOfUser(user),
    merchantAccountIds: user.merchant_account_ids,
    session: {
      id: session.id,
      expiresAt: session.expiresAt,
      mustEnroll: mustEnroll(world.settings, user, session.method),
    },
  }
}

/**
 * Throws 403 for a request that another site's page may have sent: the browser adds the cookie to it.
 * `SameSite` stops most of these; this stops the rest.
 */
function refuseForgery(world: World, request: FastifyRequest, sessionId: string): void {
  const token = request.headers['x-csrf-token']
  if (typeof token !== 'string' || !isSignature(world.cipher, 'user-session-csrf', sessionId, token))
    throw forbidden('Requests by cookie need the header x-csrf-token; GET /sessions/current answers it')
  refuseOtherOrigins(world, request)
}

/**
 * Throws 403 if a page of another origin sent the request. Browsers say which page did; other clients send no
 * `origin`.
 */
export function refuseOtherOrigins(
  { publicUrl }: Pick<World, 'publicUrl'>,
  { headers: { origin } }: FastifyRequest,
): void {
  if (origin !== undefined && origin !== new URL(publicUrl).origin)
    throw forbidden('The request comes from the page of another origin than PUBLIC_URL')
}
