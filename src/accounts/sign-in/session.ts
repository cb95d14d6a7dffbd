import type { FastifyReply } from 'fastify'
import type { Caller } from '../../api/auth/caller.ts'
import { forbidden } from '../../api/errors.ts'
import { version } from '../../api/openapi/openapi.ts'
import { timestamp } from '../../database/timestamp.ts'
import type { World } from '../../world.ts'
import { scopesOfUser, toUser, type UserRow } from '../users/user.ts'
import { mustEnroll } from './second-factor.ts'
import type { Session } from './session.schema.ts'
import type { OpenedSession } from './session.store.ts'
import { csrfToken } from './session-caller.ts'
import { setSessionCookie } from './session-cookie.ts'

/** The caller's session; 403 for a key pair, which has none. */
export function requireSession({ session }: Caller): NonNullable<Caller['session']> {
  if (!session) throw forbidden('This is for people who have signed in: a key pair has no session')
  return session
}

/** Sets the session's cookie and answers the session as the API shows it. */
export function sendSession(world: World, reply: FastifyReply, row: UserRow, session: OpenedSession) {
  setSessionCookie(world.publicUrl, reply, session.token)
  reply.header('cache-control', 'no-store')
  return showSession(world, row, {
    ...session,
    mustEnroll: mustEnroll(world.settings, row, session.method),
  })
}

export const showSession = (
  world: World,
  row: UserRow,
  { id, expiresAt, mustEnroll }: NonNullable<Caller['session']>,
): Session => ({
  type: 'session',
  user: toUser(world, row),
  csrf_token: csrfToken(world, id),
  totp_enrollment_required: mustEnroll,
  scopes: scopesOfUser(row),
  environment: world.settings.environment,
  instance_id: world.settings.instanceId,
  version,
  expires_at: timestamp(expiresAt),
})
