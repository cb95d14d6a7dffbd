import { Type } from 'typebox'
import { badRequest, invalid, notFound, orNotFound } from '../../api/errors.ts'
import { answerPage } from '../../api/pagination.ts'
import type { Routes } from '../../api/routes.ts'
import { Described, pageQuery, Uuid } from '../../api/schema.ts'
import { newestFirstPosition } from '../../database/rows/newest-first.ts'
import { timestamp } from '../../database/timestamp.ts'
import type { World } from '../../world.ts'
import { requireSession } from '../sign-in/session.ts'
import { findUser } from '../users/user.store.ts'
import { CHALLENGE_LIFETIME_MS, createChallenge, isChallengeFor, takeChallenge } from './challenge.store.ts'
import { readNewCredential } from './credential.ts'
import { requireFreshProof } from './fresh-proof.ts'
import { FreshProof, Passkey, PasskeyCreate, PasskeyOptions, Passkeys } from './passkey.schema.ts'
import { allPasskeys, deletePasskey, insertPasskey, listPasskeys, showPasskey } from './passkey.store.ts'
import { algorithms, relyingParty, webAuthn } from './relying-party.ts'

const tags = ['Users']
const read = { scopes: ['users.me.read'], merchantScoped: false }
const write = { scopes: ['users.me.write'], merchantScoped: false }

/** More than a person has devices. */
const MAX_PASSKEYS = 20

/** The passkeys of the person who is signed in; 403 for key pairs. */
export const passkeyRoutes: Routes = (app, world) => {
  app.post(
    '/users/me/passkeys/options',
    {
      config: write,
      schema: {
        operationId: 'create_own_passkey_options',
        summary: 'Prepare to add a passkey',
        description:
          'Answers what `navigator.credentials.create()` needs. Needs your password, and a code if you use an authenticator app: a stranger at an open browser must not add a passkey.',
        tags,
        body: FreshProof,
        response: { 200: PasskeyOptions },
      },
    },
    async ({ caller, body }, reply) => {
      const session = requireSession(caller)
      const party = relyingParty(world)
      await requireFreshProof(world, caller.actor.id, body)
      const row = orNotFound(await findUser(world, caller.actor.id))
      const passkeys = await allPasskeys(world, row.id)
      if (passkeys.length >= MAX_PASSKEYS)
        throw badRequest(`You have ${MAX_PASSKEYS} passkeys; remove one first`)
      const challenge = await createChallenge(world, session.id)
      const { generateRegistrationOptions } = await webAuthn()
      const options = await generateRegistrationOptions({
        rpName: 'Railyard',
        rpID: party.id,
        userID: Uint8Array.from(Buffer.from(row.id)),
        userName: row.email_address,
        userDisplayName: row.name,
        challenge: challenge.bytes,
        timeout: CHALLENGE_LIFETIME_MS,
        attestationType: 'none',
        supportedAlgorithmIDs: algorithms,
        authenticatorSelection: { residentKey: 'required', userVerification: 'required' },
        excludeCredentials: passkeys.map(({ credential_id, transports }) => ({
          id: credential_id.toString('base64url'),
          transports,
        })),
      })
      return reply.header('cache-control', 'no-store').send({
        type: 'passkey-options',
        options: { ...options },
        expires_at: timestamp(challenge.expiresAt),
      })
    },
  )

  app.post(
    '/users/me/passkeys',
    {
      config: write,
      schema: {
        operationId: 'create_own_passkey',
        summary: 'Add a passkey',
        description:
          'Takes what the browser made of `POST /users/me/passkeys/options` of the same session. From then on you can sign in with the passkey. All your other sessions end.',
        tags,
        body: PasskeyCreate,
        response: { 201: Passkey },
      },
    },
    async ({ caller, body }, reply) => {
      const session = requireSession(caller)
      const verified = await verifiedCredential(world, session.id, body.credential)
      const row = await insertPasskey(
        world,
        caller.actor.id,
        {
          name: body.name,
          credential_id: Buffer.from(verified.id, 'base64url'),
          public_key: Buffer.from(verified.publicKey),
          counter: verified.counter,
          transports: verified.transports,
        },
        session.id,
      )
      if (!row) throw invalid({ '/credential': 'is a passkey that was added before' })
      return reply.code(201).send(showPasskey(row))
    },
  )

  app.get(
    '/users/me/passkeys',
    {
      config: read,
      schema: {
        operationId: 'list_own_passkeys',
        summary: 'List your passkeys',
        description: 'The newest first.',
        tags,
        querystring: Type.Object(pageQuery()),
        response: { 200: Passkeys },
      },
    },
    async ({ query, caller }) => {
      requireSession(caller)
      const { id } = caller.actor
      return answerPage(world.cipher, JSON.stringify(['passkeys', id]), query, {
        read: (page) => listPasskeys(world, id, page),
        positionOf: newestFirstPosition,
        show: showPasskey,
      })
    },
  )

  app.delete(
    '/users/me/passkeys/:passkey_id',
    {
      config: write,
      schema: {
        operationId: 'delete_own_passkey',
        summary: 'Remove a passkey',
        description:
          'Needs your password, and a code if you use an authenticator app. All your other sessions end. If you have lost every way to sign in, an administrator makes a new invitation.',
        tags,
        params: Type.Object({ passkey_id: Described(Uuid, 'The passkey’s id') }),
        body: FreshProof,
        response: { 204: Type.Null() },
      },
    },
    async ({ caller, params, body }, reply) => {
      const session = requireSession(caller)
      await requireFreshProof(world, caller.actor.id, body)
      if (!(await deletePasskey(world, caller.actor.id, params.passkey_id, session.id))) throw notFound()
      return reply.code(204).send(null)
    },
  )
}

/** Throws 400 if the browser's answer is not one to an open challenge of this session. */
async function verifiedCredential(world: World, session: string, value: unknown) {
  const { id, origin } = relyingParty(world)
  const read = readNewCredential(value)
  if (!read)
    throw invalid({ '/credential': 'is not what navigator.credentials.create() answers on this site' })
  const { credential, challenge } = read
  // a challenge with a purpose was given without the password
  if (!isChallengeFor(challenge, Buffer.alloc(0)) || !(await takeChallenge(world, challenge, session)))
    throw invalid({
      '/credential': 'answers a challenge that is unknown, used or expired; ask for options again',
    })
  const { clientDataJSON, attestationObject, transports = [] } = credential.response
  const { verifyRegistrationResponse } = await webAuthn()
  const { registrationInfo } = await verifyRegistrationResponse({
    response: {
      id: credential.id,
      rawId: credential.rawId,
      type: credential.type,
      response: { clientDataJSON, attestationObject },
      clientExtensionResults: {},
    },
    expectedChallenge: challenge,
    expectedOrigin: origin,
    expectedRPID: id,
    requireUserVerification: true,
    supportedAlgorithmIDs: algorithms,
  }).catch(() => ({ registrationInfo: undefined }))
  if (!registrationInfo) throw invalid({ '/credential': 'could not be verified' })
  const { id: credentialId, publicKey, counter } = registrationInfo.credential
  return { id: credentialId, publicKey, counter, transports }
}
