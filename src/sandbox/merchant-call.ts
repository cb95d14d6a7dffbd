import { type Answer, badRequest, type Call, type Incoming, problem } from './core/provider-messages.ts'
import type { Sandbox } from './sandbox.ts'

/** A request to a provider that knows its merchants by the header `x-merchant-id`, as the provider's parts see it. */
export interface MerchantRequest {
  sandbox: Sandbox
  service: string
  incoming: Incoming
}

/** A call that looks at the caller's credentials first: any are good, but for `invalid`. */
export function trusted({ incoming, service }: MerchantRequest, operation: Call['operation'], key: string | null, process: () => Answer): Call {
  return {
    payment_service_id: service,
    operation,
    key,
    process() {
      const merchant = incoming.headers['x-merchant-id']
      // a session belongs to no merchant yet
      if (!merchant && operation !== 'session') return badRequest('the header x-merchant-id is missing')
      if (merchant === 'invalid') return problem(401, 'invalid_service_credentials', 'there is no such merchant')
      return process()
    },
  }
}

const uuid = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/i

/** A call that is processed once: it needs a key. */
export function keyed(request: MerchantRequest, operation: Call['operation'], process: (key: string) => Answer): Call {
  const header = request.incoming.headers['idempotency-key']
  const key = typeof header === 'string' && uuid.test(header) ? header : null
  return trusted(request, operation, key, () => (key === null ? badRequest('the header idempotency-key must be a UUID') : process(key)))
}
