import { record } from '../../core/books.ts'
import { fingerprint } from '../../core/fingerprint.ts'
import type { MoneyRequest } from '../../core/processing.ts'
import { type Answer, json, problem } from '../../core/provider-messages.ts'
import { type Sandbox, timestamp } from '../../sandbox.ts'
import type { GiftCardResult } from './books.ts'
import { cardStateOf } from './card.ts'
import type { GiftCardDecision } from './decision.ts'
import { errorStatuses, type GiftCardError } from './pins.ts'

/** Processes a key once and gives the same answer to every repetition, as `processOnce` does for payments. */
export function processGiftCardOnce(
  sandbox: Sandbox,
  request: MoneyRequest,
  decide: () => GiftCardDecision,
): Answer {
  const { books } = sandbox
  const { key, payment_service_id } = request
  if (books.closed.has(key))
    return problem(410, 'closed', 'this key was closed before the request was processed')
  const print = fingerprint(books.secret, `${payment_service_id}/${request.path}`, request.body)
  const booked = books.giftCards.operations.get(key)
  if (booked) {
    record(books, { entry: 'attempt', key })
    if (booked.fingerprint !== print)
      return problem(409, 'key_reused', 'this key belongs to a different request')
    return bookedAnswer(sandbox, booked.result, 200)
  }
  const decision = decide()
  if (!decision) {
    record(books, { entry: 'attempt', key })
    return problem(404, 'unknown_redemption', 'there is no such redemption')
  }
  record(books, { entry: 'gift-card-operation', payment_service_id, fingerprint: print, ...decision })
  return bookedAnswer(sandbox, decision.result, 201)
}

/** Looks up an operation by its key. */
export function findGiftCardOperation(sandbox: Sandbox, service: string, key: string): Answer {
  const booked = findBookedOperation(sandbox, service, key)
  if (booked) return found(sandbox, booked.result)
  if (sandbox.inProgress.has(key))
    return problem(409, 'in_progress', 'a request with this key is being processed')
  return problem(404, 'unknown_operation', 'no request with this key was processed')
}

/** Closes a key whose answer was lost: returns its result, or makes sure that it is never processed. */
export function closeGiftCardKey(sandbox: Sandbox, service: string, key: string): Answer {
  const { books } = sandbox
  const booked = findBookedOperation(sandbox, service, key)
  if (booked) return found(sandbox, booked.result)
  if (books.giftCards.operations.has(key))
    return problem(404, 'unknown_operation', 'no request with this key was processed')
  if (!books.closed.has(key)) record(books, { entry: 'closed', key, at: timestamp(sandbox) })
  return json(200, { key, status: 'closed' })
}

/** An operation of this service; undefined if it belongs to another. */
function findBookedOperation({ books }: Sandbox, service: string, key: string) {
  const booked = books.giftCards.operations.get(key)
  return booked?.payment_service_id === service ? booked : undefined
}

/** A refusal that is not booked. */
export const refusalAnswer = ({ kind, code }: GiftCardError): Answer =>
  json(errorStatuses[kind], { status: 'refused', code, message: messageOf(kind, code) })

const messageOf = (kind: string, code: string) => `${kind}: ${code}`

const found = (sandbox: Sandbox, result: GiftCardResult): Answer => ({
  ...json(200, showResult(sandbox, result)),
  key: result.key,
})

const bookedAnswer = (sandbox: Sandbox, result: GiftCardResult, status: 200 | 201): Answer => ({
  ...json(result.error_kind ? errorStatuses[result.error_kind] : status, showResult(sandbox, result)),
  key: result.key,
})

function showResult({ books }: Sandbox, result: GiftCardResult) {
  const card = result.status === 'approved' ? books.giftCards.cards.get(result.card_id ?? '') : undefined
  const message = result.code && result.error_kind ? messageOf(result.error_kind, result.code) : null
  return { ...result, message, card: card ? cardStateOf(card) : null }
}
