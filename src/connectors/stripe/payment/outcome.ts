import type { Call } from '../../contract/call.ts'
import type { ErrorCode } from '../../contract/error-codes.ts'
import type { Outcome, References, ResponseDetails } from '../../contract/outcome.ts'
import {
  markHardDecline,
  markUnprocessed,
  refusedOutcome,
  unknownOutcome,
  unprocessedOutcome,
} from '../../contract/outcome.ts'
import type { HttpAnswer } from '../../wire/http-message.ts'
import { lostOutcome } from '../../wire/provider-answer.ts'
import { type Charge, type Problem, readError } from '../answer.schema.ts'
import { declines, hardDeclines, NO_FURTHER_ATTEMPT } from '../declines.ts'

/** Our code for a refusal whose own codes are not in the table, by its HTTP status. */
const byStatus: Partial<Record<number, ErrorCode>> = {
  400: 'invalid_service_request',
  401: 'invalid_service_credentials',
  402: 'issuer_decline',
  403: 'insufficient_service_permissions',
  404: 'unknown_service_resource',
  429: 'service_rate_limit',
}

/** Stripe refuses these before it looks at the request's key. */
const unprocessedStatuses: readonly number[] = [401, 403, 429]

/**
 * Codes that say nothing of the operation: an earlier request under its key may be in progress, or another
 * one writes the same object at this moment.
 */
const openCodes = new Set(['idempotency_key_in_use', 'lock_timeout'])

/** The refusal or the loss in an answer; undefined: Stripe did what the request asks. */
export function toRefusal(answer: HttpAnswer): Outcome | undefined {
  if (answer.lost) return lostOutcome(answer)
  const { status, body } = answer
  if (status >= 200 && status < 300) return undefined
  const error = readError(body)
  const fallback = byStatus[status]
  // a conflict over the key is about another request, and after a 5xx it is open how far Stripe got
  if (!error || !fallback || error.type === 'idempotency_error' || openCodes.has(error.code ?? ''))
    return unknownOutcome(`HTTP ${status} ${error?.code ?? error?.type ?? ''}`.trimEnd())
  return markUnprocessed(toProblemOutcome(error, undefined, {}, fallback), status, unprocessedStatuses)
}

/** The outcome of an attempt that failed with this error. */
export function toProblemOutcome(
  problem: Problem,
  charge: Charge | undefined,
  references: References,
  fallback: ErrorCode = 'unknown_error',
): Outcome {
  const { decline_code: declineCode, code } = problem
  const ours = declines.get(declineCode ?? '') ?? declines.get(code ?? '') ?? fallback
  const outcome = refusedOutcome(ours, { ...factsOf(charge), ...problemFacts(problem) }, references)
  const advice = problem.advice_code ?? charge?.outcome?.advice_code
  return markHardDecline(outcome, advice === NO_FURTHER_ATTEMPT || hardDeclines.has(declineCode ?? ''))
}

function problemFacts({ decline_code, code, type, message, ...problem }: Problem): ResponseDetails {
  return {
    raw_response_code: decline_code ?? code ?? type,
    raw_response_description: message ?? null,
    ...(problem.network_decline_code && { iso_response_code: problem.network_decline_code }),
    ...(problem.network_advice_code && { merchant_advice_code: problem.network_advice_code }),
  }
}

/** What the issuer and the card's network said of a charge. */
export function factsOf(charge: Charge | undefined): ResponseDetails {
  const { outcome, payment_method_details: details } = charge ?? {}
  const card = details?.card
  const address = addressCheck(card?.checks?.address_line1_check, card?.checks?.address_postal_code_check)
  const code = securityCodeChecks[card?.checks?.cvc_check ?? '']
  const authorization = card?.authorization_code ?? charge?.authorization_code
  return {
    ...(authorization && { auth_response_code: authorization }),
    ...(outcome?.network_decline_code && { iso_response_code: outcome.network_decline_code }),
    ...(outcome?.network_advice_code && { merchant_advice_code: outcome.network_advice_code }),
    ...(address && { avs_response_code: address }),
    ...(code && { cvv_response_code: code }),
    ...(card?.network_transaction_id && { scheme_transaction_id: card.network_transaction_id }),
    ...(card?.transaction_link_id && { transaction_link_id: card.transaction_link_id }),
  }
}

const securityCodeChecks: Readonly<Record<string, string>> = {
  pass: 'match',
  fail: 'no_match',
  unavailable: 'unavailable',
  unchecked: 'unavailable',
}

/** The comparison of the billing address, of its two checks; undefined: there was none. */
function addressCheck(line: string | null | undefined, postalCode: string | null | undefined) {
  const checks = [line, postalCode].filter((check) => typeof check === 'string')
  if (checks.length === 0) return undefined
  const passes = checks.filter((check) => check === 'pass').length
  if (passes === checks.length) return 'match'
  if (line === 'pass') return 'partial_match_address'
  if (postalCode === 'pass') return 'partial_match_postcode'
  return checks.includes('fail') ? 'no_match' : 'unavailable'
}

/** For a call that cannot be made: no request was sent. */
export const notSent = (code: ErrorCode, reason: string): Outcome =>
  unprocessedOutcome(code, { raw_response_code: code, raw_response_description: reason })

/** Later operations need the id of the payment's intent; without it they have no object. */
export const intentIdOf = ({ operation }: Call): string | undefined => operation.paymentReference ?? undefined
