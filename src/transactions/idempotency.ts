import { noteTransaction } from '../api/request-context.ts'
import * as keyed from '../operations/idempotency.ts'
import type { Claim } from '../operations/journal.ts'
import type { World } from '../world.ts'
import { isRepresentation, type RepresentationName, represent } from './representation.ts'
import type { Shown } from './transaction.row.ts'

export { claimOf } from '../operations/idempotency.ts'

/** A request whose answer is a transaction, or what was done to one. */
export interface KeyedRequest extends keyed.KeyedRequest {
  representation: RepresentationName
}

/** Does the work, or answers what the first request with this key was answered (SEMANTICS §0.8). */
export const idempotently = (
  world: World,
  request: KeyedRequest,
  work: (claim: Claim | undefined) => Promise<Shown & keyed.Superseded>,
): Promise<keyed.ShownAnswer> =>
  keyed.idempotently<Shown>(
    world,
    request,
    (name, shown) => {
      noteTransaction(shown.transaction.id)
      return isRepresentation(name) ? represent(name, shown) : undefined
    },
    work,
  )
