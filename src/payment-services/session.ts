import { badRequest } from '../api/errors.ts'
import type { Connector, ServiceForCall } from '../connectors/connector.ts'
import { watched } from '../connectors/http.ts'
import type { World } from '../world.ts'
import type { CreateSession } from './payment-service.schema.ts'

/** The id of a call that no configured payment service makes. */
export const NO_SERVICE = '00000000-0000-0000-0000-000000000000'

/** Asks the payment service for a session. Its refusal is an answer too, with status `failed` (SEMANTICS §12.2). */
export async function createSession(
  world: World,
  connector: Connector,
  service: ServiceForCall,
  body: Record<string, unknown>,
): Promise<CreateSession> {
  const answer =
    (await connector.session?.({ http: watched(world, { definition: connector.definition.id, operation: 'session' }).request, service }, body)) ??
    unsupported
  if (answer.status === 'refused') throw badRequest(answer.message)
  return {
    type: 'payment-service-session',
    status: answer.status,
    code: answer.status === 'failed' ? answer.code : null,
    status_code: answer.statusCode,
    response_body: answer.body,
  }
}

const unsupported = { status: 'failed', code: 'invalid_service_configuration', statusCode: null, body: null } as const
