import type { AuthenticationProof } from '../connectors/authentication-proof.ts'
import type { AuthenticationError } from '../connectors/three-d-secure-server.ts'
import type { ThreeDSecureMethod, TransactionThreeDSecureSummary } from './three-d-secure.schema.ts'

/** The outcomes of an authentication as a transaction shows them (SEMANTICS §7.2). `amount`: what was authenticated, where that is not what is paid. */
interface AuthenticationAttempt {
  version: string | null
  method: ThreeDSecureMethod | null
  amount: number | null
}

const noData = { response_data: null, error_data: null }

/** Y or A: with the proof that the authorization shows. */
export const completedSummary = (
  proof: AuthenticationProof,
  { method, amount }: Omit<AuthenticationAttempt, 'version'>,
): TransactionThreeDSecureSummary => ({
  version: proof.version,
  status: 'complete',
  method,
  response_data: {
    version: proof.version,
    directory_response: proof.directory_response,
    authentication_response: proof.authentication_response,
    directory_transaction_id: proof.directory_transaction_id,
    transaction_reason: proof.transaction_reason,
    cavv: proof.cavv,
    eci: proof.eci,
    cardholder_info: proof.cardholder_info,
  },
  error_data: null,
  amount,
})

/** N, R or U, at once or after a challenge: no proof is kept. */
export const declinedSummary = (seen: AuthenticationAttempt): TransactionThreeDSecureSummary => ({ ...seen, ...noData, status: 'declined' })

/** The cardholder did not finish the challenge. */
export const cancelledSummary = (seen: Omit<AuthenticationAttempt, 'method'>): TransactionThreeDSecureSummary => ({
  ...seen,
  ...noData,
  status: 'cancelled',
  method: 'challenge',
})

/** One of the parties could not be asked, or made no sense. */
export const errorSummary = (error: AuthenticationError, seen: AuthenticationAttempt): TransactionThreeDSecureSummary => ({
  ...seen,
  status: 'error',
  response_data: null,
  error_data: { code: error.code, description: error.description, detail: error.detail, component: error.component },
})
