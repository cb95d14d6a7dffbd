import { Type } from 'typebox'
import type { ServiceCall } from '../../contract/call.ts'
import type { RegistrationAnswer } from '../../contract/connector.ts'
import { Compile } from '../../wire/compile.ts'
import type { HttpAnswer } from '../../wire/http-message.ts'
import { issueOf } from '../answer.schema.ts'
import type { WalletRequest, Wire } from '../wire.ts'
import { problemOf } from './disputes.ts'
import { events } from './notification.ts'

const Webhook = Type.Object({ id: Type.String({ minLength: 1 }), url: Type.String() })
const webhook = Compile(Webhook)
const webhooks = Compile(Type.Object({ webhooks: Type.Optional(Type.Array(Webhook)) }))

const PATH = '/v1/notifications/webhooks'

/** The issue for a URL that has a webhook already. */
const TAKEN = 'WEBHOOK_URL_ALREADY_EXISTS'

/**
 * Registers the notification URL, for which PayPal has one webhook: a repeated registration finds it and
 * replaces its events. `webhook_id` verifies the notifications.
 */
export async function registerNotifications(wire: Wire, call: ServiceCall): Promise<RegistrationAnswer> {
  const { notificationUrl: url } = call.service
  const event_types = events.map((name) => ({ name }))
  const made = await sendRequest(wire, call, { method: 'POST', path: PATH, body: { url, event_types } })
  const problem = problemOf(made)
  if (!problem) return registered(made, url)
  const isTaken = !made.lost && (issueOf(made.body).issue === TAKEN || made.body['name'] === TAKEN)
  if (!isTaken) return problem
  const listed = await sendRequest(wire, call, { method: 'GET', path: PATH })
  const unread = problemOf(listed)
  if (unread) return unread
  const known = !listed.lost && webhooks.Check(listed.body) ? (listed.body.webhooks ?? []) : []
  const ours = known.find((each) => each.url === url)
  // PayPal may count URLs as the same that differ in their writing
  if (!ours) return { status: 'refused', reason: 'PayPal says that the URL has a webhook, and lists none' }
  const patch = [{ op: 'replace', path: '/event_types', value: event_types }]
  const path = `${PATH}/${encodeURIComponent(ours.id)}`
  const changed = await sendRequest(wire, call, { method: 'PATCH', path, body: patch })
  return problemOf(changed) ?? registered(changed, url)
}

/** A request whose token was refused was not sent. */
async function sendRequest(wire: Wire, call: ServiceCall, request: WalletRequest): Promise<HttpAnswer> {
  const reply = await wire.send(call, request)
  return reply.refused ? { lost: true, sent: false, reason: reply.refused.reason } : reply.answer
}

const registered = (answer: HttpAnswer, url: string): RegistrationAnswer =>
  !answer.lost && webhook.Check(answer.body) && answer.body.url === url
    ? { status: 'registered', fields: { webhook_id: answer.body.id } }
    : { status: 'unknown', reason: 'the answer has no webhook for this URL' }
