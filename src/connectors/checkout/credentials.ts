import type { ServiceCall } from '../contract/call.ts'
import type { CredentialCheck } from '../contract/connector.ts'
import type { CheckoutOptions } from './environment.ts'
import { send } from './wire.ts'

/** Whether the secret key is accepted, and may read payments: recovery needs it to. */
export async function verifyCredentials(
  options: CheckoutOptions,
  call: ServiceCall,
): Promise<CredentialCheck> {
  const answer = await send(options, call, {
    method: 'GET',
    path: '/payments?reference=railyard-credentials&limit=1',
  })
  if (answer === null) return 'refused'
  if (answer.lost) return 'no answer'
  if (answer.status === 200) return 'accepted'
  return answer.status === 401 || answer.status === 403 ? 'refused' : 'no answer'
}
