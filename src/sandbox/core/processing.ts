import { type Sandbox, timestamp } from '../sandbox.ts'
import { type BookEntry, type BookedOperation, record } from './books.ts'
import { fingerprint } from './fingerprint.ts'
import { type Result, responseCodes, type SimulatedResult } from './operation.ts'
import { approveNow, isPending, scheduleApproval } from './pending.ts'
import { type Answer, json, problem } from './provider-messages.ts'

/** A money operation as it arrived. */
export interface MoneyRequest {
  payment_service_id: string
  key: string
  /** What is asked: part of what makes two requests with one key the same. */
  path: string
  body: unknown
}

/** What is to be booked for it. */
export type OperationDecision = Pick<Extract<BookEntry, { entry: 'operation' }>, 'result' | 'final' | 'opening'>

/** A result as the books keep it: what only some operations, or only cards, have is null. */
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

/** How a provider words what came of a request. */
export interface AnswerFormat {
  /** `status`: 201 when it was processed now, 200 when it is told again. */
  result(result: Result, status: 200 | 201): Answer
  problem(status: number, code: string, message: string): Answer
}

const plainFormat: AnswerFormat = { result: (result, status) => json(status, result), problem }

/** Processes a key once and answers it the same for ever. `decide` answers null when the payment it speaks of does not exist. */
export function processOnce(
  sandbox: Sandbox,
  request: MoneyRequest,
  decide: () => OperationDecision | null,
  wording: AnswerFormat = plainFormat,
): Answer {
  const { books } = sandbox
  const { key, payment_service_id } = request
  const { problem } = wording
  if (books.closed.has(key)) return problem(410, 'closed', 'this key was closed before the request was processed')
  const print = fingerprint(books.secret, `${payment_service_id}/${request.path}`, request.body)
  const booked = books.operations.get(key)
  if (booked) {
    record(books, { entry: 'attempt', key })
    if (booked.fingerprint !== print) return problem(409, 'key_reused', 'this key belongs to a different request')
    return resultAnswer(sandbox, wording.result(booked.result, 200), booked)
  }
  const decision = withDeclineFault(sandbox, key, decide())
  if (!decision) {
    record(books, { entry: 'attempt', key })
    return problem(404, 'unknown_payment', 'there is no such payment')
  }
  record(books, { entry: 'operation', payment_service_id, fingerprint: print, ...decision })
  if (decision.result.status === 'pending') scheduleApproval(sandbox, key)
  return resultAnswer(sandbox, wording.result(decision.result, 201), { ...decision, reported: false })
}

/** What a `decline` makes of it. What is refused anyway stays so. */
function withDeclineFault({ declining }: Sandbox, key: string, decision: OperationDecision | null): OperationDecision | null {
  if (!decision || !declining.has(key) || decision.result.code !== null) return decision
  const declined = responseCodes({ status: 'declined', code: 'issuer_decline' })
  const { transaction_link_id: _, ...result } = decision.result
  return { ...decision, result: { ...result, ...declined, scheme_transaction_id: null, authorization_expires_at: null } }
}

/** Looks an operation up. A pending one is final once its caller has been told of it. */
export function findOperation(sandbox: Sandbox, service: string, key: string): Answer {
  const booked = findBooked(sandbox, service, key)
  if (!booked) {
    if (sandbox.inProgress.has(key)) return problem(409, 'in_progress', 'a request with this key is being processed')
    return problem(404, 'unknown_operation', 'no request with this key was processed')
  }
  if (booked.reported && isPending(booked)) approveNow(sandbox, key)
  return resultAnswer(sandbox, json(200, booked.result), booked)
}

/** Ends a key whose answer was lost: its result if there is one, else the promise that there will never be one. */
export function closeKey(sandbox: Sandbox, service: string, key: string): Answer {
  const { books } = sandbox
  const booked = findBooked(sandbox, service, key)
  if (booked) return resultAnswer(sandbox, json(200, booked.result), booked)
  if (books.operations.has(key)) return problem(404, 'unknown_operation', 'no request with this key was processed')
  if (!books.closed.has(key)) record(books, { entry: 'closed', key, at: timestamp(sandbox) })
  return json(200, { key, status: 'closed' })
}

/** Another payment service's operation is nobody's business. */
function findBooked({ books }: Sandbox, service: string, key: string): BookedOperation | null {
  const booked = books.operations.get(key)
  return booked?.payment_service_id === service ? booked : null
}

/** An answer that tells of an operation: the books note that its caller knows. */
function resultAnswer({ books }: Sandbox, worded: Answer, { result, reported }: { result: Result; reported: boolean }): Answer {
  const answer: Answer = { ...worded, key: result.key }
  if (result.status === 'pending' && !reported) answer.delivered = () => record(books, { entry: 'reported', key: result.key })
  return answer
}
