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

/**
 * Registers the notification URL. Stripe tells the secret only when an endpoint is made, so a new endpoint is
 * made first and then the earlier ones of this URL are deleted: no notification is missed.
 */
export async function registerNotifications(wire: Wire, call: ServiceCall): Promise<RegistrationAnswer> {
  const { notificationUrl: url } = call.service
  const earlier = await listAll(wire, call, { path: PATH, query: {} }, (item) =>
    Endpoint.Check(item) ? item : undefined,
  )
  const body = { url, enabled_events: events, api_version: API_VERSION, description: 'Railyard' }
  const answer = await wire.post(call, PATH, body)
  const problem = problemOf(answer)
  if (problem) return problem
  if (answer.lost || !Registered.Check(answer.body))
    return { status: 'unknown', reason: 'the answer has no secret' }
  // one that cannot be deleted sends what is refused as forged, and does no harm
  for (const endpoint of earlier ?? [])
    if (endpoint.url === url) await wire.delete(call, `${PATH}/${encodeURIComponent(endpoint.id)}`)
  return { status: 'registered', fields: { webhook_secret: answer.body.secret } }
}
