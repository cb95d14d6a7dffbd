import { setRequestTransaction } from '../api/request/request-context.ts'
import * as keyed from '../operations/idempotency.ts'
import type { Claim } from '../operations/journal/journal.ts'
import type { World } from '../world.ts'
import type { AnswerRows } from './transaction.row.ts'
import { isRepresentation, type RepresentationName, represent } from './views/representation.ts'

export { createClaim } from '../operations/idempotency.ts'

/** A request whose answer shows a transaction or one of its operations. */
export interface KeyedTransactionRequest extends keyed.RepresentedRequest {
  /** The form of the answer; stored with the key. */
  representation: RepresentationName
}

/** Does the work, or repeats the answer to the first request with this idempotency key (semantics §0.8). */
export const answerTransactionOnce = (
  world: World,
  request: KeyedTransactionRequest,
  work: (claim: Claim | undefined) => Promise<AnswerRows & keyed.SupersededAnswer>,
): Promise<keyed.RepresentedAnswer> =>
  keyed.runIdempotently<AnswerRows>(
    world,
    request,
    (name, rows) => {
      setRequestTransaction(rows.transaction.id)
      return isRepresentation(name) ? represent(name, rows) : undefined
    },
    work,
  )
