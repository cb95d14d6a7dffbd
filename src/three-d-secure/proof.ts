import type { AuthenticationProof } from '../connectors/contract/authentication-proof.ts'
import type { TransactionThreeDSecureSummary } from './three-d-secure.schema.ts'

/**
 * The proof of an authentication that payment services get, from the merchant's own authentication or ours.
 * Undefined: the authentication is not complete.
 */
export function toAuthenticationProof(
  authentication: TransactionThreeDSecureSummary | null,
): AuthenticationProof | undefined {
  const data = authentication?.status === 'complete' ? authentication.response_data : null
  if (!data) return undefined
  const { version, directory_response, authentication_response } = data
  const common = {
    version,
    directory_response: directory_response ?? '',
    authentication_response: authentication_response ?? null,
  }
  const absent = { cavv_algorithm: null, transaction_reason: null, cardholder_info: null }
  // version 1 has an XID where version 2 has the directory server's id
  if ('xid' in data)
    return {
      ...absent,
      ...common,
      directory_transaction_id: data.xid,
      cavv: data.cavv,
      eci: twoDigits(data.eci),
      cavv_algorithm: data.cavv_algorithm,
    }
  return {
    ...absent,
    ...common,
    directory_transaction_id: data.directory_transaction_id ?? null,
    cavv: data.cavv ?? null,
    eci: data.eci ? twoDigits(data.eci) : null,
    transaction_reason: data.transaction_reason ?? null,
    cardholder_info: data.cardholder_info ?? null,
  }
}

/** Merchants may send `5` for `05`. */
const twoDigits = (eci: string): string => eci.padStart(2, '0')
