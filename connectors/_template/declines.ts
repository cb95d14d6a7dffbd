import type { ErrorCode } from 'railyard/connector'

/** What a refusal of Acme's is in Railyard's words. `declined`: the issuer or Acme decided against it. */
interface Refusal {
  status: 'declined' | 'failed'
  code: ErrorCode
}

/** Acme's decline codes (its API reference, "Codes"), each with ours. */
const refusals: Readonly<Record<string, Refusal>> = {
  card_expired: { status: 'declined', code: 'expired_payment_method' },
  do_not_honour: { status: 'declined', code: 'issuer_decline' },
  fraud_suspected: { status: 'declined', code: 'suspected_fraud' },
  funds: { status: 'declined', code: 'insufficient_funds' },
  challenge_failed: { status: 'failed', code: 'requires_buyer_authentication' },
  challenge_required: { status: 'failed', code: 'requires_buyer_authentication' },
  amount_too_large: { status: 'failed', code: 'invalid_amount' },
  closed: { status: 'failed', code: 'service_error' },
  wrong_state: { status: 'failed', code: 'unexpected_state' },
}

/** A code that Acme adds later is a decline whose reason is not known. */
export const refusalOf = (code: string): Refusal =>
  refusals[code] ?? { status: 'declined', code: 'other_decline' }
