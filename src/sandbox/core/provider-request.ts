import type { Sandbox } from '../sandbox.ts'
import { type Answer, badRequest, type Call, type Incoming, problem } from './provider-messages.ts'

/** A request to a provider for one payment service. */
export interface ProviderRequest {
  sandbox: Sandbox
  service: string
  incoming: Incoming
}

const uuid = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/i

export const isUuid = (value: unknown): value is string => typeof value === 'string' && uuid.test(value)

/** Whether the body of a request for a payment asks for a sale, not an authorization. */
export const isSaleBody = (body: unknown): boolean =>
  typeof body === 'object' && body !== null && 'kind' in body && body.kind === 'sale'

export type Process = () => Answer | Promise<Answer>

/** A call to this payment service's provider. */
export const newCall = (
  { service }: ProviderRequest,
  operation: Call['operation'],
  key: string | null,
  process: Process,
): Call => ({ payment_service_id: service, operation, key, process })

/**
 * Makes a provider's calls. `refuseCredentials` answers a caller with wrong credentials; null: they are good.
 */
export function providerCalls(
  refuseCredentials: (incoming: Incoming, operation: Call['operation']) => Answer | null,
) {
  /**
   * Checks the caller's credentials first. `key` is the idempotency key of the operation that the call is
   * about.
   */
  const authenticatedCall = (
    request: ProviderRequest,
    operation: Call['operation'],
    key: string | null,
    process: Process,
  ): Call =>
    newCall(request, operation, key, () => refuseCredentials(request.incoming, operation) ?? process())

  /** A call that is processed once for each idempotency key, which it must have. */
  const idempotentCall = (
    request: ProviderRequest,
    operation: Call['operation'],
    process: (key: string) => Answer | Promise<Answer>,
  ): Call => {
    const header = request.incoming.headers['idempotency-key']
    const key = isUuid(header) ? header : null
    return authenticatedCall(request, operation, key, () =>
      key === null ? badRequest('the header idempotency-key must be a UUID') : process(key),
    )
  }

  return { authenticatedCall, idempotentCall }
}

/** The calls of a provider that identifies its callers by an API key. Any key is good. */
export const apiKeyCalls = providerCalls(({ headers }) =>
  headers['x-api-key']
    ? null
    : problem(401, 'invalid_service_credentials', 'the header x-api-key is missing'),
)
