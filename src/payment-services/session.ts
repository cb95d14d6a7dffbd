import type { ServiceForCall } from '../connectors/contract/call.ts'
import type { Connector, SessionAnswer } from '../connectors/contract/connector.ts'
import { instrumentedHttp } from '../connectors/wire/http.ts'
import type { World } from '../world.ts'
import type { CreateSession } from './payment-service.schema.ts'

/** The id in a call that is made for no configured payment service. */
export const NO_SERVICE = '00000000-0000-0000-0000-000000000000'

/**
 * Asks the payment service for a session. Its refusal is an answer, too, with status `failed` (semantics
 * §12.2).
 */
export async function createSession(
  world: World,
  connector: Connector,
  service: ServiceForCall,
  body: Record<string, unknown> | null | undefined,
): Promise<CreateSession> {
  const answer =
    (await connector.session?.(
      {
        http: instrumentedHttp(world, { definition: connector.definition.id, operation: 'session' }).request,
        service,
      },
      body ?? {},
    )) ?? unsupported
  return {
    type: 'payment-service-session',
    status: answer.status,
    code: answer.status === 'failed' ? answer.code : null,
    status_code: answer.statusCode,
    response_body: answer.body,
    message: answer.status === 'failed' ? (answer.message ?? null) : null,
  }
}

const unsupported: SessionAnswer = {
  status: 'failed',
  code: 'invalid_service_configuration',
  statusCode: null,
  body: null,
  message: 'This payment service has no sessions',
}
