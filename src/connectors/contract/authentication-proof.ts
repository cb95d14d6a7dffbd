/** What proves an authentication, for the authorization that follows (semantics §7.2). */
export interface AuthenticationProof {
  version: string
  /** `transStatus` of the ARes: Y, A, C, N, U, R. */
  directory_response: string
  /** `transStatus` of the RReq; null without a challenge. */
  authentication_response: string | null
  /** `dsTransID`. */
  directory_transaction_id: string | null
  /** Authentication value, base64. */
  cavv: string | null
  /** Electronic commerce indicator, two digits, as the scheme counts: 05/06/07, Mastercard 02/01/00. */
  eci: string | null
  cavv_algorithm: string | null
  /** `transStatusReason`, two digits. */
  transaction_reason: string | null
  cardholder_info: string | null
}
