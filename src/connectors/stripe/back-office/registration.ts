import { Type } from 'typebox'
import type { ServiceCall } from '../../contract/call.ts'
import type { RegistrationAnswer } from '../../contract/connector.ts'
import { Compile } from '../../wire/compile.ts'
import { listAll } from '../payment/list.ts'
import { API_VERSION, type Wire } from '../wire.ts'
import { problemOf } from './disputes.ts'
import { events } from './notification.ts'

const Endpoint = Compile(Type.Object({ id: Type.String({ minLength: 1 }), url: Type.String() }))
const Registered = Compile(
  Type.Object({ id: Type.String({ minLength: 1 }), secret: Type.String({ minLength: 1 }) }),
)

const PATH = '/v1/webhook_endpoints'

type Registration = { status: 'registered'; id: string; secret: string }

/**
 * Registers the notification URL twice, for the events of the account and for those of its connected accounts: Stripe
 * has no endpoint for both. It tells the secret only when an endpoint is made, so new endpoints are made first and
 * then the earlier ones of this URL are deleted: no notification is missed.
 *
 * Stripe may refuse an endpoint for connected accounts to an account that cannot have any: it does without. That
 * endpoint is made first, so that the other one is refused, too, if the account has no room for both.
 */
export async function registerNotifications(wire: Wire, call: ServiceCall): Promise<RegistrationAnswer> {
  const { notificationUrl: url } = call.service
  const earlier = await listAll(wire, call, { path: PATH, query: {} }, (item) =>
    Endpoint.Check(item) ? item : undefined,
  )
  const connected = await makeEndpoint(wire, call, true)
  if (connected.status === 'unknown') return connected
  const own = await makeEndpoint(wire, call, false)
  if (own.status !== 'registered') {
    if (own.status === 'refused' && connected.status === 'registered') await remove(wire, call, connected)
    return own
  }
  // one that cannot be deleted sends what is refused as forged, and does no harm
  for (const endpoint of earlier ?? []) if (endpoint.url === url) await remove(wire, call, endpoint)
  const secrets = connected.status === 'registered' ? [own.secret, connected.secret] : [own.secret]
  return { status: 'registered', fields: { webhook_secret: secrets.join(',') } }
}

async function makeEndpoint(
  wire: Wire,
  call: ServiceCall,
  connect: boolean,
): Promise<Registration | Exclude<RegistrationAnswer, { status: 'registered' }>> {
  const { notificationUrl: url } = call.service
  const body = { url, connect, enabled_events: events, api_version: API_VERSION, description: 'Railyard' }
  const answer = await wire.post(call, PATH, body)
  const problem = problemOf(answer)
  if (problem) return problem
  if (answer.lost || !Registered.Check(answer.body))
    return { status: 'unknown', reason: 'the answer has no secret' }
  return { status: 'registered', id: answer.body.id, secret: answer.body.secret }
}

const remove = (wire: Wire, call: ServiceCall, { id }: { id: string }) =>
  wire.delete(call, `${PATH}/${encodeURIComponent(id)}`)
