import { Type } from 'typebox'
import { answerPage } from '../../api/pagination.ts'
import type { Routes } from '../../api/routes.ts'
import { Nullable, pageQuery, Uuid } from '../../api/schema.ts'
import { newestFirstPosition } from '../../database/rows/newest-first.ts'
import { timestamp } from '../../database/timestamp.ts'
import type { World } from '../../world.ts'
import { userApproval } from '../account-approvals.ts'
import { readAssignedAccounts, refuseUnknownAccounts } from '../roles/assignable-accounts.ts'
import { readAssignedRoles, refuseRolesBeyondCaller } from '../roles/assignable-roles.ts'
import { type Invitation, invitationUrl } from './invitation.store.ts'
import { InvitedUser, User, UserCreate, Users, UserUpdate } from './user.schema.ts'
import { deleteUser, findUser, insertUser, listUsers, renewInvitation, updateUser } from './user.store.ts'
import {
  requireManageableUser,
  requireResettableUser,
  requireVisibleUser,
  toUser,
  type UserRow,
} from './user.ts'

const tags = ['Users']
const params = Type.Object({ user_id: Uuid })
const read = { scopes: ['users.read'], merchantScoped: false }
const write = { scopes: ['users.write'], merchantScoped: false }

export const userRoutes: Routes = (app, world) => {
  app.get(
    '/users',
    {
      config: read,
      schema: {
        operationId: 'list_users',
        summary: 'List users',
        description:
          'The people who may sign in, the newest first. If you are limited to some merchant accounts, you see the people whose limits lie within yours.',
        tags,
        querystring: Type.Object({
          ...pageQuery(),
          search: Type.Optional(Nullable(Type.String({ maxLength: 300 }))),
        }),
        response: { 200: Users },
      },
    },
    async ({ query, caller }) => {
      const search = query.search ?? null
      const list = JSON.stringify(['users', caller.merchantAccountIds, search])
      return answerPage(world.cipher, list, query, {
        read: (page) => listUsers(world, { search, accountIds: caller.merchantAccountIds }, page),
        positionOf: newestFirstPosition,
        show: (row) => toUser(world, row),
      })
    },
  )

  app.post(
    '/users',
    {
      config: { ...write, approval: userApproval },
      schema: {
        operationId: 'create_user',
        summary: 'Invite a user',
        description:
          'Makes a person who may sign in once they have chosen a password under `invitation_url`, within 72 hours. No email is sent. You cannot give roles or merchant accounts that you lack yourself.',
        tags,
        body: UserCreate,
        response: { 201: InvitedUser },
      },
    },
    async ({ body, caller }, reply) => {
      const roleIds = readAssignedRoles(caller, body.role_ids, 'user').map(({ slug }) => slug)
      const merchantAccountIds = readAssignedAccounts(caller, body.merchant_account_ids ?? [])
      await refuseUnknownAccounts(world, merchantAccountIds)
      const user = { emailAddress: body.email_address, name: body.name, roleIds, merchantAccountIds }
      const { row, invitation } = await insertUser(world, user)
      return reply
        .code(201)
        .header('cache-control', 'no-store')
        .send(showInvited(world, row, invitation))
    },
  )

  app.get(
    '/users/:user_id',
    {
      config: read,
      schema: {
        operationId: 'get_user',
        summary: 'Get a user',
        description: 'Finds one person by their id.',
        tags,
        params,
        response: { 200: User },
      },
    },
    async ({ params, caller }) =>
      toUser(world, requireVisibleUser(caller, await findUser(world, params.user_id))),
  )

  app.put(
    '/users/:user_id',
    {
      config: { ...write, approval: userApproval },
      schema: {
        operationId: 'update_user',
        summary: 'Update a user',
        description:
          'Changes the members that you send and leaves the others. A change of roles or merchant accounts ends the person’s sessions at once. The last administrator keeps the role unless a key pair has it.',
        tags,
        params,
        body: UserUpdate,
        response: { 200: User },
      },
    },
    async ({ params, body, caller }) => {
      requireManageableUser(caller, await findUser(world, params.user_id))
      const merchantAccountIds =
        body.merchant_account_ids && readAssignedAccounts(caller, body.merchant_account_ids)
      if (merchantAccountIds) await refuseUnknownAccounts(world, merchantAccountIds)
      const roles = body.role_ids && readAssignedRoles(caller, body.role_ids, 'user')
      // a user manager may give roles that they lack, but not to themselves
      if (roles && caller.actor.id === params.user_id) refuseRolesBeyondCaller(caller, roles)
      const changes = {
        name: body.name,
        roleIds: roles?.map(({ slug }) => slug),
        merchantAccountIds,
      }
      return toUser(
        world,
        await updateUser(
          world,
          params.user_id,
          changes,
          (row) => requireManageableUser(caller, row),
          caller.session?.id,
        ),
      )
    },
  )

  app.delete(
    '/users/:user_id',
    {
      config: { ...write, approval: userApproval },
      schema: {
        operationId: 'delete_user',
        summary: 'Delete a user',
        description:
          'The person cannot sign in any more, and their sessions end at once. Their address may be invited again.',
        tags,
        params,
        response: { 204: Type.Null() },
      },
    },
    async ({ params, caller }, reply) => {
      await deleteUser(world, params.user_id, (row) => requireManageableUser(caller, row))
      return reply.code(204).send(null)
    },
  )

  app.post(
    '/users/:user_id/invitation',
    {
      config: { ...write, approval: userApproval },
      schema: {
        operationId: 'create_user_invitation',
        summary: 'Make a new invitation',
        description:
          'Makes a new link for a person that has not accepted the invitation yet, or has lost the password or the authenticator app. The earlier link stops working and the person’s sessions end at once; the password stops working when the new link is used. 403 if the person has a password and may do more than you.',
        tags,
        params,
        response: { 201: InvitedUser },
      },
    },
    async ({ params, caller }, reply) => {
      const { row, invitation } = await renewInvitation(
        world,
        params.user_id,
        (row) => requireResettableUser(caller, row),
        caller.session?.id,
      )
      return reply
        .code(201)
        .header('cache-control', 'no-store')
        .send(showInvited(world, row, invitation))
    },
  )
}

const showInvited = (world: World, row: UserRow, invitation: Invitation): InvitedUser => ({
  ...toUser(world, row),
  invitation_url: invitationUrl(world.publicUrl, invitation),
  invitation_expires_at: timestamp(invitation.expiresAt),
})
