import { clientAddress } from '../../api/request/client-address.ts'
import type { Routes } from '../../api/routes.ts'
import { timestamp } from '../../database/timestamp.ts'
import { Session } from '../sign-in/session.schema.ts'
import { sendSession } from '../sign-in/session.ts'
import { refuseOtherOrigins } from '../sign-in/session-caller.ts'
import { countRefusedSignIn, limitPasskeyOptions, limitSignInAttempts } from '../sign-in/sign-in-rate.ts'
import { CHALLENGE_LIFETIME_MS, createChallenge } from './challenge.store.ts'
import { PasskeyOptions, PasskeySignIn } from './passkey.schema.ts'
import { signInByPasskey } from './passkey-sign-in.ts'
import { relyingParty, webAuthn } from './relying-party.ts'

const tags = ['Sessions']

export const passkeySignInRoutes: Routes = (app, world) => {
  app.post(
    '/sessions/passkey/options',
    {
      config: { scopes: 'public' },
      schema: {
        operationId: 'create_session_passkey_options',
        summary: 'Prepare to sign in with a passkey',
        description:
          'Answers what `navigator.credentials.get()` needs, the same for each person: the browser lets the person choose one of their passkeys. 400 if `PUBLIC_URL` has an address in place of a host name.',
        tags,
        response: { 200: PasskeyOptions },
      },
    },
    async (request, reply) => {
      refuseOtherOrigins(world, request)
      const { id } = relyingParty(world)
      await limitPasskeyOptions(world, clientAddress(request))
      const challenge = await createChallenge(world, null)
      const { generateAuthenticationOptions } = await webAuthn()
      const options = await generateAuthenticationOptions({
        rpID: id,
        challenge: challenge.bytes,
        timeout: CHALLENGE_LIFETIME_MS,
        userVerification: 'required',
      })
      return reply.header('cache-control', 'no-store').send({
        type: 'passkey-options',
        options: { ...options },
        expires_at: timestamp(challenge.expiresAt),
      })
    },
  )

  app.post(
    '/sessions/passkey',
    {
      config: { scopes: 'public' },
      schema: {
        operationId: 'create_session_by_passkey',
        summary: 'Sign in with a passkey',
        description:
          'Opens a session as `POST /sessions` does. The passkey counts as both factors: no password and no code are needed. Wrong answers count towards the lock of the account.',
        tags,
        body: PasskeySignIn,
        response: { 201: Session },
      },
    },
    async (request, reply) => {
      refuseOtherOrigins(world, request)
      await limitSignInAttempts(world, clientAddress(request))
      const { row, session } = await signInByPasskey(world, request.body.credential).catch(
        countRefusedSignIn(world),
      )
      return reply.code(201).send(sendSession(world, reply, row, session))
    },
  )
}
