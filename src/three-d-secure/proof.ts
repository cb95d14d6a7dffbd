import type { AuthenticationProof } from '../connectors/authentication-proof.ts'
import type { TransactionThreeDSecureSummary } from './three-d-secure.schema.ts'

/** What a payment service is shown of an authentication, the merchant's own or ours. Undefined: none is complete. */
export function toAuthenticationProof(authentication: TransactionThreeDSecureSummary | null): AuthenticationProof | undefined {
  const data = authentication?.status === 'complete' ? authentication.response_data : null
  if (!data) return undefined
  const { version, directory_response, authentication_response } = data
  const common = { version, directory_response: directory_response ?? '', authentication_response: authentication_response ?? null }
  const unknown = { cavv_algorithm: null, transaction_reason: null, cardholder_info: null }
  // the XID is to version 1 what the directory server's id is to version 2
  if ('xid' in data)
    return { ...unknown, ...common, directory_transaction_id: data.xid, cavv: data.cavv, eci: data.eci, cavv_algorithm: data.cavv_algorithm }
  return {
    ...unknown,
    ...common,
    directory_transaction_id: data.directory_transaction_id ?? null,
    cavv: data.cavv ?? null,
    eci: data.eci ?? null,
    transaction_reason: data.transaction_reason ?? null,
    cardholder_info: data.cardholder_info ?? null,
  }
}
