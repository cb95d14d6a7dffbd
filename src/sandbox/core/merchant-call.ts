import { badRequest, problem } from './provider-messages.ts'
import { providerCalls } from './provider-request.ts'

/**
 * The calls of a provider that identifies its merchants by the header `x-merchant-id`. Any merchant is good
 * except `invalid`; a session belongs to no merchant yet.
 */
export const { authenticatedCall, idempotentCall } = providerCalls(({ headers }, operation) => {
  const merchant = headers['x-merchant-id']
  if (!merchant && operation !== 'session') return badRequest('the header x-merchant-id is missing')
  return merchant === 'invalid'
    ? problem(401, 'invalid_service_credentials', 'there is no such merchant')
    : null
})
