import { Type } from 'typebox'
import { badRequest, invalid, orNotFound } from '../../api/errors.ts'
import type { Routes } from '../../api/routes.ts'
import type { World } from '../../world.ts'
import { USED_BEFORE, wasUsedBefore } from '../sign-in/password-history.ts'
import { passwordProblem } from '../sign-in/password-rules.ts'
import { requireSession } from '../sign-in/session.ts'
import { wrongPartOf, wrongParts } from '../sign-in/sign-in.ts'
import { newTotpSecret, totpUri } from '../sign-in/totp.ts'
import { OwnUserUpdate, TotpConfirmation, TotpRemoval, TotpSecret } from './own-user.schema.ts'
import { confirmTotp, type NewPassword, proposeTotp, removeTotp, updateOwnUser } from './own-user.store.ts'
import { User } from './user.schema.ts'
import { findUser } from './user.store.ts'
import { toUser, type UserRow } from './user.ts'

const tags = ['Users']
const read = { scopes: ['users.me.read'], merchantScoped: false }
const write = { scopes: ['users.me.write'], merchantScoped: false }

/** The operations of people on their own account; 403 for key pairs. */
export const ownUserRoutes: Routes = (app, world) => {
  app.get(
    '/users/me',
    {
      config: read,
      schema: {
        operationId: 'get_own_user',
        summary: 'Get yourself',
        description: 'Answers the person of this session.',
        tags,
        response: { 200: User },
      },
    },
    async ({ caller }) => {
      requireSession(caller)
      return toUser(world, await requireOwnUser(world, caller.actor.id))
    },
  )

  app.put(
    '/users/me',
    {
      config: write,
      schema: {
        operationId: 'update_own_user',
        summary: 'Update yourself',
        description:
          'Changes the name or the password. A new password needs the current one, and ends all your other sessions.',
        tags,
        body: OwnUserUpdate,
        response: { 200: User },
      },
    },
    async ({ caller, body }) => {
      const session = requireSession(caller)
      const { id } = caller.actor
      const { name, password: text, current_password: current } = body
      const password = text === undefined ? undefined : await checkNewPassword(world, id, text, current)
      const row = await updateOwnUser(world, id, { name, password }, session.id)
      if (!row && password) throw invalid(wrongCurrentPassword)
      return toUser(world, orNotFound(row))
    },
  )

  app.post(
    '/users/me/totp',
    {
      config: write,
      schema: {
        operationId: 'create_own_totp',
        summary: 'Set up an authenticator app',
        description:
          'Makes a new secret for an app that shows codes (RFC 6238). It is in use once you have confirmed one of its codes.',
        tags,
        response: { 201: TotpSecret },
      },
    },
    async ({ caller }, reply) => {
      requireSession(caller)
      const secret = newTotpSecret()
      const row = await proposeTotp(world, caller.actor.id, secret)
      if (!row) throw badRequest('An authenticator app is in use already; remove it first')
      const uri = totpUri(secret, row.email_address)
      return reply.code(201).header('cache-control', 'no-store').send({ type: 'totp-secret', secret, uri })
    },
  )

  app.post(
    '/users/me/totp/confirm',
    {
      config: write,
      schema: {
        operationId: 'confirm_own_totp',
        summary: 'Confirm the authenticator app',
        description:
          'Takes a code of the new secret. From then on signing in needs a code. All your other sessions end.',
        tags,
        body: TotpConfirmation,
        response: { 200: User },
      },
    },
    async ({ caller, body }) => {
      await confirmTotp(world, caller.actor.id, body.code, requireSession(caller).id)
      return toUser(world, await requireOwnUser(world, caller.actor.id))
    },
  )

  app.delete(
    '/users/me/totp',
    {
      config: write,
      schema: {
        operationId: 'delete_own_totp',
        summary: 'Remove the authenticator app',
        description:
          'Needs a code; checks the password, too, if it is sent. From then on signing in needs the password alone. All your other sessions end. If you have lost the app, an administrator makes a new invitation.',
        tags,
        body: TotpRemoval,
        response: { 204: Type.Null() },
      },
    },
    async ({ caller, body: { password, code } }, reply) => {
      const session = requireSession(caller)
      if (code === undefined)
        throw invalid({ '/code': 'is needed: the password alone does not remove the second factor' })
      const wrong = await wrongPartOf(world, caller.actor.id, { password, code })
      if (wrong) throw invalid(wrongParts[wrong])
      await removeTotp(world, caller.actor.id, session.id)
      return reply.code(204).send(null)
    },
  )
}

const wrongCurrentPassword = { '/current_password': 'is not your password' }

async function requireOwnUser(world: World, id: string): Promise<UserRow> {
  return orNotFound(await findUser(world, id))
}

/**
 * Throws 400 if the new password breaks a rule or the current one is missing or wrong: a stranger at an open
 * browser must not take the account over.
 */
async function checkNewPassword(
  world: World,
  id: string,
  password: string,
  current: string | undefined,
): Promise<NewPassword> {
  const row = await requireOwnUser(world, id)
  const problem = passwordProblem(password, { emailAddress: row.email_address, name: row.name })
  if (problem) throw invalid({ '/password': problem })
  if (current === undefined || (await wrongPartOf(world, id, { password: current })))
    throw invalid(wrongCurrentPassword)
  if (await wasUsedBefore(row, password)) throw invalid({ '/password': USED_BEFORE })
  return { text: password, verifiedHash: row.password_hash }
}
