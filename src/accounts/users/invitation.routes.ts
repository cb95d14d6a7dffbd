import type { FastifyReply } from 'fastify'
import { Type } from 'typebox'
import type { App } from '../../api/app.ts'
import { invalid } from '../../api/errors.ts'
import { clientAddress } from '../../api/request/client-address.ts'
import type { Routes } from '../../api/routes.ts'
import type { World } from '../../world.ts'
import { USED_BEFORE, wasUsedBefore } from '../sign-in/password-history.ts'
import { passwordProblem } from '../sign-in/password-rules.ts'
import { InvitationAcceptance, Session } from '../sign-in/session.schema.ts'
import { sendSession } from '../sign-in/session.ts'
import { refuseOtherOrigins } from '../sign-in/session-caller.ts'
import { registerPages, sendPage } from '../sign-in/sign-in-page.ts'
import { limitSignInAttempts } from '../sign-in/sign-in-rate.ts'
import { type InvitationPage, invitationPage } from './invitation.page.ts'
import { acceptInvitation, findInvitedUser, invitationRefused } from './invitation.store.ts'
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
          'Sets the password of the invited person and signs them in. A link can be used once, within 72 hours. If the person had a password before, the link replaces it, removes the authenticator app and ends all sessions.',
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

  registerPages(app, (scope) => invitationPages(scope, world))
}

const params = Type.Object({ token: Type.String({ maxLength: 200 }) })
const pageRoute = { config: { scopes: 'public' as const }, schema: { hide: true, params } }

/**
 * The page on which an invited person chooses a password. Opening it changes nothing: mail programs open
 * links ahead of time.
 */
function invitationPages(app: App, world: World): void {
  app.get('/invitations/:token', pageRoute, async ({ params: { token } }, reply) => {
    const invited = await findInvitedUser(world, token)
    return invited
      ? sendInvitation(reply, 200, {
          state: 'open',
          emailAddress: invited.email_address,
          name: invited.name,
          action: action(token),
        })
      : sendInvitation(reply, 404, { state: 'invalid' })
  })

  app.post('/invitations/:token', pageRoute, async (request, reply) => {
    const { token } = request.params
    refuseOtherOrigins(world, request)
    await limitSignInAttempts(world, clientAddress(request))
    const invited = await findInvitedUser(world, token)
    if (!invited) return sendInvitation(reply, 404, { state: 'invalid' })
    const form = new URLSearchParams(typeof request.body === 'string' ? request.body : '')
    const [name, password, again] = [
      form.get('name') ?? '',
      form.get('password') ?? '',
      form.get('again') ?? '',
    ]
    const problem = await formProblem({ name, password, again }, invited)
    if (problem)
      return sendInvitation(reply, 400, {
        state: 'open',
        emailAddress: invited.email_address,
        name,
        action: action(token),
        problem,
      })
    const accepted = await acceptInvitation(world, invited, { token, name, password })
    if (!accepted) return sendInvitation(reply, 404, { state: 'invalid' })
    sendSession(world, reply, accepted.row, accepted.session)
    return sendInvitation(reply, 200, { state: 'accepted', name: accepted.row.name })
  })
}

const action = (token: string) => `/invitations/${encodeURIComponent(token)}`

/** What is wrong with the password for this person; undefined: nothing. */
async function newPasswordProblem(
  invited: UserRow,
  password: string,
  name: string,
): Promise<string | undefined> {
  const problem = passwordProblem(password, { emailAddress: invited.email_address, name })
  return problem ?? ((await wasUsedBefore(invited, password)) ? USED_BEFORE : undefined)
}

/** What is wrong with the form, as a sentence for the page; undefined: nothing. */
async function formProblem(
  { name, password, again }: Record<'name' | 'password' | 'again', string>,
  invited: UserRow,
): Promise<string | undefined> {
  const misnamed = nameProblem(name)
  if (misnamed) return `The name ${misnamed}.`
  const problem = await newPasswordProblem(invited, password, name)
  if (problem) return `The password ${problem}.`
  return password === again ? undefined : 'The two passwords are not the same.'
}

const sendInvitation = (reply: FastifyReply, status: number, page: InvitationPage) =>
  sendPage(reply, status, invitationPage(page))
