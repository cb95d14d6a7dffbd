import type { Call } from '../../contract/call.ts'
import type { ErrorCode } from '../../contract/error-codes.ts'
import type { BookFinding, Outcome } from '../../contract/outcome.ts'
import { absent, found, refusedOutcome, unknownOutcome, unsure } from '../../contract/outcome.ts'
import { fromStripeAmount, toStripeAmount } from '../amount.ts'
import { type Refund, readRefund } from '../answer.schema.ts'
import { isMadeBy, operationMetadata } from '../metadata.ts'
import type { Wire } from '../wire.ts'
import { type Listing, listAll } from './list.ts'
import { intentIdOf, notSent, toRefusal } from './outcome.ts'

/** Gives money of a captured payment back to the buyer. */
export async function refund(wire: Wire, call: Call): Promise<Outcome> {
  const { operation } = call
  const id = intentIdOf(call)
  if (id === undefined) return refusedOutcome('unexpected_state')
  const amount = toStripeAmount(operation.amount, operation.currency)
  if (amount === undefined)
    return notSent('invalid_amount', `Stripe cannot express ${operation.amount} of ${operation.currency}`)
  // after a day Stripe has forgotten the key, and would refund again
  const earlier = operation.sentBefore ? await findRefund(wire, call) : absent
  if (earlier.status === 'found') return earlier.outcome
  if (earlier.status === 'unsure') return unknownOutcome('the refunds cannot be read')
  const body = { payment_intent: id, amount, metadata: operationMetadata(operation) }
  const answer = await wire.post(call, '/v1/refunds', body, operation.id)
  const refusal = toRefusal(answer)
  if (refusal) return answer.lost ? refusal : confirmRefusal(wire, call, refusal)
  const made = answer.lost ? undefined : readRefund(answer.body)
  return made && isMadeBy(made, operation)
    ? toOutcome(call, made)
    : unknownOutcome('the answer is about another refund')
}

/** A refusal does not name its request, so it counts only if there is no refund of this operation. */
async function confirmRefusal(wire: Wire, call: Call, refusal: Outcome): Promise<Outcome> {
  if (refusal.status === 'unknown' || (refusal.status === 'failed' && refusal.unprocessed)) return refusal
  const finding = await findRefund(wire, call)
  if (finding.status === 'found') return finding.outcome
  return finding.status === 'absent'
    ? refusal
    : unknownOutcome('it was refused, and the refunds cannot be read')
}

/** Looks for the refund among those of its payment: the list has every refund as soon as it is made. */
export async function findRefund(wire: Wire, call: Call): Promise<BookFinding> {
  const id = intentIdOf(call)
  if (id === undefined) return unsure
  const listing: Listing<Refund> = await listAll(
    wire,
    call,
    { path: '/v1/refunds', query: { payment_intent: id } },
    readRefund,
  )
  if (!listing) return unsure
  const made = listing.find((item) => isMadeBy(item, call.operation))
  if (!made) return absent
  const outcome = toOutcome(call, made)
  return outcome.status === 'unknown' ? unsure : found(outcome)
}

/** Why the bank could not give the money back. */
const failures: Readonly<Record<string, ErrorCode>> = {
  charge_for_pending_refund_disputed: 'disputed_transaction',
  expired_or_canceled_card: 'expired_payment_method',
  insufficient_funds: 'insufficient_funds',
  lost_or_stolen_card: 'canceled_payment_method',
  merchant_request: 'canceled',
}

function toOutcome({ operation }: Call, made: Refund): Outcome {
  const references = { operation: made.id }
  switch (made.status) {
    case 'succeeded': {
      const amount =
        made.currency === operation.currency.toLowerCase()
          ? fromStripeAmount(made.amount, operation.currency)
          : undefined
      return amount === undefined
        ? unknownOutcome('the amount cannot be read')
        : { status: 'approved', amount, facts: {}, references }
    }
    case 'pending':
    case 'requires_action':
      return { status: 'pending', facts: {}, references }
    case 'failed':
    case 'canceled': {
      const reason = made.failure_reason ?? made.status
      const code = failures[reason] ?? (made.status === 'canceled' ? 'canceled' : 'service_error')
      return refusedOutcome(code, { raw_response_code: reason }, references)
    }
    default:
      return unknownOutcome(`its status is ${made.status}`)
  }
}
