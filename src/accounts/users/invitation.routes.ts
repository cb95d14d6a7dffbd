import type { FastifyReply } from 'fastify'
import { Type } from 'typebox'
import type { App } from '../../api/app.ts'
import { invalid } from '../../api/errors.ts'
import { clientAddress } from '../../api/request/client-address.ts'
import type { Routes } from '../../api/routes.ts'
import type { World } from '../../world.ts'
import { passwordProblem } from '../sign-in/password.ts'
import { USED_BEFORE, wasUsedBefore } from '../sign-in/password-history.ts'
import { sendSession } from '../sign-in/session.ts'
import { refuseOtherOrigins } from '../sign-in/session-caller.ts'
import { limitSignInAttempts } from '../sign-in/sign-in-rate.ts'
import { type InvitationPage, invitationPage, invitationPolicy } from './invitation.page.ts'
import { acceptInvitation, findInvitedUser, invitationRefused } from './invitation.store.ts'
import { InvitationAcceptance, Session } from './user.schema.ts'
import { nameProblem, type UserRow } from './user.ts'

const tags = ['Sessions']

export const invitationRoutes: Routes = (app, world) => {
  app.post(
    '/invitations/accept',
    {
      config: { scopes: 'public' },
      schema: {
        operationId: 'accept_invitation',
        summary: 'Accept an invitation',
        description:
          'Sets the password of whoever was invited, and signs them in. A link is good once, for 72 hours. Of somebody who had a password before, it takes that, the authenticator app and all sessions away.',
        tags,
        body: InvitationAcceptance,
        response: { 201: Session },
      },
    },
    async (request, reply) => {
      refuseOtherOrigins(world, request)
      await limitSignInAttempts(world, clientAddress(request))
      const { body } = request
      const invited = await findInvitedUser(world, body.token)
      if (!invited) throw invitationRefused()
      const problem = await newPasswordProblem(invited, body.password, body.name ?? invited.name)
      if (problem) throw invalid({ '/password': problem })
      const accepted = await acceptInvitation(world, invited, body)
      if (!accepted) throw invitationRefused()
      return reply.code(201).send(sendSession(world, reply, accepted.row, accepted.session))
    },
  )

  app.register(async (plugin) => {
    const scope = plugin as unknown as App
    scope.removeAllContentTypeParsers()
    scope.addContentTypeParser('application/x-www-form-urlencoded', { parseAs: 'string', bodyLimit: 16 * 1024 }, (_request, body, done) =>
      done(null, body),
    )
    invitationPages(scope, world)
  })
}

const params = Type.Object({ token: Type.String({ maxLength: 200 }) })
const pageRoute = { config: { scopes: 'public' as const }, schema: { hide: true, params } }

/** Where a person chooses a password with nothing but a browser. Opening the page changes nothing: mail programs open links ahead of time. */
function invitationPages(app: App, world: World): void {
  app.get('/invitations/:token', pageRoute, async ({ params: { token } }, reply) => {
    const invited = await findInvitedUser(world, token)
    return invited
      ? sendPage(reply, 200, { state: 'open', emailAddress: invited.email_address, name: invited.name, action: action(token) })
      : sendPage(reply, 404, { state: 'refused' })
  })

  app.post('/invitations/:token', pageRoute, async (request, reply) => {
    const { token } = request.params
    refuseOtherOrigins(world, request)
    await limitSignInAttempts(world, clientAddress(request))
    const invited = await findInvitedUser(world, token)
    if (!invited) return sendPage(reply, 404, { state: 'refused' })
    const form = new URLSearchParams(typeof request.body === 'string' ? request.body : '')
    const [name, password, again] = [form.get('name') ?? '', form.get('password') ?? '', form.get('again') ?? '']
    const problem = await formProblem({ name, password, again }, invited)
    if (problem) return sendPage(reply, 400, { state: 'open', emailAddress: invited.email_address, name, action: action(token), problem })
    const accepted = await acceptInvitation(world, invited, { token, name, password })
    if (!accepted) return sendPage(reply, 404, { state: 'refused' })
    sendSession(world, reply, accepted.row, accepted.session)
    return sendPage(reply, 200, { state: 'accepted', name: accepted.row.name })
  })
}

const action = (token: string) => `/invitations/${encodeURIComponent(token)}`

/** Undefined: the person may have this password. */
async function newPasswordProblem(invited: UserRow, password: string, name: string): Promise<string | undefined> {
  const problem = passwordProblem(password, { emailAddress: invited.email_address, name })
  return problem ?? ((await wasUsedBefore(invited, password)) ? USED_BEFORE : undefined)
}

async function formProblem({ name, password, again }: Record<'name' | 'password' | 'again', string>, invited: UserRow): Promise<string | undefined> {
  const misnamed = nameProblem(name)
  if (misnamed) return `The name ${misnamed}.`
  const problem = await newPasswordProblem(invited, password, name)
  if (problem) return `The password ${problem}.`
  return password === again ? undefined : 'The two passwords are not the same.'
}

/** The referrer stays within this origin: without it browsers say of the form that it comes from nowhere, and it would be refused. */
const sendPage = (reply: FastifyReply, status: number, page: InvitationPage) =>
  reply
    .code(status)
    .type('text/html; charset=utf-8')
    .headers({
      'content-security-policy': invitationPolicy,
      'cache-control': 'no-store',
      'referrer-policy': 'same-origin',
      'x-content-type-options': 'nosniff',
    })
    .send(invitationPage(page))
