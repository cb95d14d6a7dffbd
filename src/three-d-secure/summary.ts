import type { AuthenticationProof } from '../connectors/contract/authentication-proof.ts'
import type { AuthenticationError } from '../connectors/contract/three-d-secure-server.ts'
import type { ThreeDSecureMethod, TransactionThreeDSecureSummary } from './three-d-secure.schema.ts'

/**
 * An authentication as a transaction shows it (semantics §7.2). `amount`: the authenticated amount, if it is
 * not the one that is paid.
 */
interface AuthenticationAttempt {
  version: string | null
  method: ThreeDSecureMethod | null
  amount: number | null
}

const noData = { response_data: null, error_data: null }

/** Y or A: with the proof for the authorization. */
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

/** N, R or U, at once or after a challenge: without a proof. */
export const declinedSummary = (attempt: AuthenticationAttempt): TransactionThreeDSecureSummary => ({
  ...attempt,
  ...noData,
  status: 'declined',
})

/** The cardholder did not finish the challenge. */
export const cancelledSummary = (
  attempt: Omit<AuthenticationAttempt, 'method'>,
): TransactionThreeDSecureSummary => ({
  ...attempt,
  ...noData,
  status: 'cancelled',
  method: 'challenge',
})

/** One of the parties did not answer, or its answer could not be read. */
export const errorSummary = (
  error: AuthenticationError,
  attempt: AuthenticationAttempt,
): TransactionThreeDSecureSummary => ({
  ...attempt,
  status: 'error',
  response_data: null,
  error_data: {
    code: error.code,
    description: error.description,
    detail: error.detail,
    component: error.component,
  },
})
