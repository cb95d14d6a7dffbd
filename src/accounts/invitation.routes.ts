import type { FastifyReply } from 'fastify'
import { Type } from 'typebox'
import { clientAddress } from '../api/client-address.ts'
import { invalid } from '../api/errors.ts'
import type { App, Routes } from '../api/routes.ts'
import type { World } from '../world.ts'
import { type InvitationPage, invitationPage, invitationPolicy } from './invitation.page.ts'
import { acceptInvitation, invitationRefused, invitedUser } from './invitation.store.ts'
import { passwordProblem } from './password.ts'
import { USED_BEFORE, wasUsedBefore } from './password-history.ts'
import { enter } from './session.ts'
import { refuseOtherOrigins } from './session-caller.ts'
import { limitAttempts } from './sign-in-rate.ts'
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
      await limitAttempts(world, clientAddress(request))
      const { body } = request
      const invited = await invitedUser(world, body.token)
      if (!invited) throw invitationRefused()
      const problem = await problemWith(invited, body.password, body.name ?? invited.name)
      if (problem) throw invalid({ '/password': problem })
      const accepted = await acceptInvitation(world, invited, body)
      if (!accepted) throw invitationRefused()
      return reply.code(201).send(enter(world, reply, accepted.row, accepted.session))
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
const onPage = { config: { scopes: 'public' as const }, schema: { hide: true, params } }

/** Where a person chooses a password with nothing but a browser. Opening the page changes nothing: mail programs open links ahead of time. */
function invitationPages(app: App, world: World): void {
  app.get('/invitations/:token', onPage, async ({ params: { token } }, reply) => {
    const invited = await invitedUser(world, token)
    return invited
      ? show(reply, 200, { state: 'open', emailAddress: invited.email_address, name: invited.name, action: action(token) })
      : show(reply, 404, { state: 'refused' })
  })

  app.post('/invitations/:token', onPage, async (request, reply) => {
    const { token } = request.params
    refuseOtherOrigins(world, request)
    await limitAttempts(world, clientAddress(request))
    const invited = await invitedUser(world, token)
    if (!invited) return show(reply, 404, { state: 'refused' })
    const form = new URLSearchParams(typeof request.body === 'string' ? request.body : '')
    const [name, password, again] = [form.get('name') ?? '', form.get('password') ?? '', form.get('again') ?? '']
    const problem = await problemOf({ name, password, again }, invited)
    if (problem) return show(reply, 400, { state: 'open', emailAddress: invited.email_address, name, action: action(token), problem })
    const accepted = await acceptInvitation(world, invited, { token, name, password })
    if (!accepted) return show(reply, 404, { state: 'refused' })
    enter(world, reply, accepted.row, accepted.session)
    return show(reply, 200, { state: 'accepted', name: accepted.row.name })
  })
}

const action = (token: string) => `/invitations/${encodeURIComponent(token)}`

/** Undefined: the person may have this password. */
async function problemWith(invited: UserRow, password: string, name: string): Promise<string | undefined> {
  const problem = passwordProblem(password, { emailAddress: invited.email_address, name })
  return problem ?? ((await wasUsedBefore(invited, password)) ? USED_BEFORE : undefined)
}

async function problemOf({ name, password, again }: Record<'name' | 'password' | 'again', string>, invited: UserRow): Promise<string | undefined> {
  const misnamed = nameProblem(name)
  if (misnamed) return `The name ${misnamed}.`
  const problem = await problemWith(invited, password, name)
  if (problem) return `The password ${problem}.`
  return password === again ? undefined : 'The two passwords are not the same.'
}

/** The referrer stays within this origin: without it browsers say of the form that it comes from nowhere, and it would be refused. */
const show = (reply: FastifyReply, status: number, page: InvitationPage) =>
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
