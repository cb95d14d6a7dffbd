import type { FastifyRequest } from 'fastify'
import type { Caller, IdentifyCaller } from '../../api/auth/caller.ts'
import { forbidden, unauthorized } from '../../api/errors.ts'
import { isSignature } from '../../base/cipher.ts'
import type { World } from '../../world.ts'
import { scopesOfUser } from '../users/user.ts'
import { mustEnroll } from './second-factor.ts'
import { findActiveSession } from './session.store.ts'
import { sessionToken } from './session-cookie.ts'

/** What a page of ours knows and no other: derived from the session, so that it is nowhere to be stolen from. */
export const csrfToken = ({ cipher }: Pick<World, 'cipher'>, sessionId: string): string =>
  cipher.mac('user-session-csrf', sessionId).toString('base64url')

/** A request with a bearer is a key's, whatever cookies come with it; one without is that of whoever has signed in. */
export const identifyBySessionOrBearer =
  (world: World, ofBearer: IdentifyCaller): IdentifyCaller =>
  async (request) => {
    const token = request.headers.authorization === undefined ? sessionToken(world.publicUrl, request) : undefined
    return token === undefined ? ofBearer(request) : callerOfSession(world, request, token)
  }

async function callerOfSession(world: World, request: FastifyRequest, token: string): Promise<Caller> {
  const session = await findActiveSession(world, token)
  if (!session) throw unauthorized('the session is unknown or has ended')
  if (request.method !== 'GET' && request.method !== 'HEAD') refuseForgery(world, request, session.id)
  const { user } = session
  return {
    actor: { type: 'user', id: user.id, name: user.name, emailAddress: user.email_address },
    scopes: scopesOfUser(user),
    merchantAccountIds: user.merchant_account_ids,
    session: { id: session.id, expiresAt: session.expiresAt, mustEnroll: mustEnroll(world.settings, user) },
  }
}

/** The browser sends the cookie whoever's page asks; `SameSite` stops most of them, the token and the origin the others. Throws 403. */
function refuseForgery(world: World, request: FastifyRequest, sessionId: string): void {
  const given = request.headers['x-csrf-token']
  if (typeof given !== 'string' || !isSignature(world.cipher, 'user-session-csrf', sessionId, given))
    throw forbidden('Requests by cookie need the header x-csrf-token; GET /sessions/current answers it')
  refuseOtherOrigins(world, request)
}

/** Browsers say from which page a request comes; other clients say nothing. Throws 403. */
export function refuseOtherOrigins({ publicUrl }: Pick<World, 'publicUrl'>, { headers: { origin } }: FastifyRequest): void {
  if (origin !== undefined && origin !== new URL(publicUrl).origin)
    throw forbidden('The request comes from the page of another origin than PUBLIC_URL')
}
