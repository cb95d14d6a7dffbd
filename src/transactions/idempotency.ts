import { setRequestTransaction } from '../api/request/request-context.ts'
import * as keyed from '../operations/idempotency.ts'
import type { Claim } from '../operations/journal/journal.ts'
import type { World } from '../world.ts'
import type { AnswerRows } from './transaction.row.ts'
import { isRepresentation, type RepresentationName, represent } from './views/representation.ts'

export { createClaim as claimOf } from '../operations/idempotency.ts'

/** A request whose answer is a transaction, or what was done to one. */
export interface KeyedTransactionRequest extends keyed.RepresentedRequest {
  representation: RepresentationName
}

/** Does the work, or answers what the first request with this key was answered (SEMANTICS §0.8). */
export const answerTransactionOnce = (
  world: World,
  request: KeyedTransactionRequest,
  work: (claim: Claim | undefined) => Promise<AnswerRows & keyed.SupersededAnswer>,
): Promise<keyed.RepresentedAnswer> =>
  keyed.runIdempotently<AnswerRows>(
    world,
    request,
    (name, shown) => {
      setRequestTransaction(shown.transaction.id)
      return isRepresentation(name) ? represent(name, shown) : undefined
    },
    work,
  )
