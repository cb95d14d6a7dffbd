import { Type } from 'typebox'
import { notFound } from '../../api/errors.ts'
import { clientAddress } from '../../api/request/client-address.ts'
import type { Routes } from '../../api/routes.ts'
import { findUser } from '../users/user.store.ts'
import { Session, SignIn } from './session.schema.ts'
import { endSession } from './session.store.ts'
import { requireSession, sendSession, showSession } from './session.ts'
import { refuseOtherOrigins } from './session-caller.ts'
import { clearSessionCookie } from './session-cookie.ts'
import { signIn } from './sign-in.ts'
import { countRefusedSignIn, limitSignInAttempts } from './sign-in-rate.ts'

const tags = ['Sessions']

export const signInRoutes: Routes = (app, world) => {
  app.post(
    '/sessions',
    {
      config: { scopes: 'public' },
      schema: {
        operationId: 'create_session',
        summary: 'Sign in',
        description:
          'Opens a session for a person, as a cookie that scripts cannot read. Five wrong passwords or codes in a row lock the account for a minute, then for two, four, up to an hour. If a code of the authenticator app is needed and missing, the answer is 401 with the code `totp_required`. Where a second factor is required, a person whose factor is a passkey gets 401 `passkey_required`.',
        tags,
        body: SignIn,
        response: { 201: Session },
      },
    },
    async (request, reply) => {
      refuseOtherOrigins(world, request)
      await limitSignInAttempts(world, clientAddress(request))
      const { row, session } = await signIn(world, request.body).catch(countRefusedSignIn(world))
      return reply.code(201).send(sendSession(world, reply, row, session))
    },
  )

  app.get(
    '/sessions/current',
    {
      config: { scopes: ['users.me.read'], merchantScoped: false },
      schema: {
        operationId: 'get_current_session',
        summary: 'Get the current session',
        description:
          'Answers the person of this session, and the token that requests by cookie need. A key pair has no session.',
        tags,
        response: { 200: Session },
      },
    },
    async ({ caller }, reply) => {
      const session = requireSession(caller)
      const row = await findUser(world, caller.actor.id)
      if (!row) throw notFound()
      return reply.header('cache-control', 'no-store').send(showSession(world, row, session))
    },
  )

  app.delete(
    '/sessions/current',
    {
      config: { scopes: ['users.me.write'], merchantScoped: false },
      schema: {
        operationId: 'delete_current_session',
        summary: 'Sign out',
        description: 'Ends the session; its cookie opens nothing from then on.',
        tags,
        response: { 204: Type.Null() },
      },
    },
    async ({ caller }, reply) => {
      await endSession(world, caller.actor.id, requireSession(caller).id)
      clearSessionCookie(world.publicUrl, reply)
      return reply.code(204).send(null)
    },
  )
}
