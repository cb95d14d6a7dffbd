import { type Sandbox, timestamp } from '../sandbox.ts'
import { type BookEntry, type BookedOperation, record } from './books.ts'
import { fingerprint } from './fingerprint.ts'
import { type Result, responseCodes, type SimulatedResult } from './operation.ts'
import { approveNow, isPending, scheduleApproval } from './pending.ts'
import { type Answer, json, problem } from './provider-messages.ts'

/** A request that moves money. */
export interface MoneyRequest {
  payment_service_id: string
  key: string
  /** The path, which is part of the fingerprint. */
  path: string
  body: unknown
}

/** The entry to book for a request. */
export type OperationDecision = Pick<
  Extract<BookEntry, { entry: 'operation' }>,
  'result' | 'final' | 'opening'
>

/** A new result. Members that only some operations or only cards have are null. */
export const newResult = (
  sandbox: Sandbox,
  operation: Pick<Result, 'key' | 'kind' | 'amount' | 'currency'>,
  verdict: SimulatedResult,
): Omit<Result, 'id' | 'payment_id'> => ({
  ...operation,
  ...responseCodes(verdict),
  avs_response_code: null,
  cvv_response_code: null,
  scheme_transaction_id: null,
  merchant_advice_code: null,
  authorization_expires_at: null,
  processed_at: timestamp(sandbox),
})

/** The form of a provider's answers. */
export interface AnswerFormat {
  /** `status`: 201 if it was processed now, 200 if the request is repeated. */
  result(result: Result, status: 200 | 201): Answer
  problem(status: number, code: string, message: string): Answer
}

const plainFormat: AnswerFormat = { result: (result, status) => json(status, result), problem }

/**
 * Processes a key once and gives the same answer to every repetition. `decide` returns null if its payment
 * does not exist.
 */
export function processOnce(
  sandbox: Sandbox,
  request: MoneyRequest,
  decide: () => OperationDecision | null,
  format: AnswerFormat = plainFormat,
): Answer {
  const { books } = sandbox
  const { key, payment_service_id } = request
  const { problem } = format
  if (books.closed.has(key))
    return problem(410, 'closed', 'this key was closed before the request was processed')
  const print = fingerprint(books.secret, `${payment_service_id}/${request.path}`, request.body)
  const booked = books.operations.get(key)
  if (booked) {
    record(books, { entry: 'attempt', key })
    if (booked.fingerprint !== print)
      return problem(409, 'key_reused', 'this key belongs to a different request')
    return resultAnswer(sandbox, format.result(booked.result, 200), booked)
  }
  const decision = withDeclineFault(sandbox, key, decide())
  if (!decision) {
    record(books, { entry: 'attempt', key })
    return problem(404, 'unknown_payment', 'there is no such payment')
  }
  record(books, { entry: 'operation', payment_service_id, fingerprint: print, ...decision })
  if (decision.result.status === 'pending') scheduleApproval(sandbox, key)
  return resultAnswer(sandbox, format.result(decision.result, 201), { ...decision, reported: false })
}

/** Applies a `decline` fault. An operation that is refused anyway is unchanged. */
function withDeclineFault(
  { declining }: Sandbox,
  key: string,
  decision: OperationDecision | null,
): OperationDecision | null {
  if (!decision || !declining.has(key) || decision.result.code !== null) return decision
  const declined = responseCodes({ status: 'declined', code: 'issuer_decline' })
  const { transaction_link_id: _, stored_card: _storedCard, ...result } = decision.result
  return {
    ...decision,
    result: { ...result, ...declined, scheme_transaction_id: null, authorization_expires_at: null },
  }
}

/** Looks up an operation. A pending one becomes final once its caller has read that it is pending. */
export function findOperation(sandbox: Sandbox, service: string, key: string): Answer {
  const booked = findBooked(sandbox, service, key)
  if (!booked) {
    if (sandbox.inProgress.has(key))
      return problem(409, 'in_progress', 'a request with this key is being processed')
    return problem(404, 'unknown_operation', 'no request with this key was processed')
  }
  if (booked.reported && isPending(booked)) approveNow(sandbox, key)
  return resultAnswer(sandbox, json(200, booked.result), booked)
}

/** Closes a key whose answer was lost: returns its result, or makes sure that it is never processed. */
export function closeKey(sandbox: Sandbox, service: string, key: string): Answer {
  const { books } = sandbox
  const booked = findBooked(sandbox, service, key)
  if (booked) return resultAnswer(sandbox, json(200, booked.result), booked)
  if (books.operations.has(key))
    return problem(404, 'unknown_operation', 'no request with this key was processed')
  if (!books.closed.has(key)) record(books, { entry: 'closed', key, at: timestamp(sandbox) })
  return json(200, { key, status: 'closed' })
}

/** An operation of this payment service; null if it belongs to another. */
function findBooked({ books }: Sandbox, service: string, key: string): BookedOperation | null {
  const booked = books.operations.get(key)
  return booked?.payment_service_id === service ? booked : null
}

/**
 * The answer with an operation's result. When it is delivered, the books record that the caller knows of the
 * pending operation.
 */
function resultAnswer(
  { books }: Sandbox,
  formatted: Answer,
  { result, reported }: { result: Result; reported: boolean },
): Answer {
  const answer: Answer = { ...formatted, key: result.key }
  if (result.status === 'pending' && !reported)
    answer.delivered = () => record(books, { entry: 'reported', key: result.key })
  return answer
}
