import type { Kysely } from 'kysely'
import type {
  GiftCardApproved,
  GiftCardConnector,
  GiftCardLookup,
  GiftCardOutcome,
} from '../../connectors/contract/gift-card-connector.ts'
import type { KeyedRequest } from '../../database/idempotency-key.ts'
import type { Tables } from '../../database/tables.ts'
import type { World } from '../../world.ts'
import type { GiftCardServiceRow } from '../services/gift-card-service.store.ts'
import {
  giftCardServiceById,
  primaryGiftCardService,
  type ReachableService,
  refusedByService,
  serviceUnreachable,
} from '../services/service-call.ts'
import {
  type ClaimProgress,
  claimKey,
  findEarlierClaim,
  type GiftCardClaim,
  recordClaimOutcome,
  releaseClaim,
} from './idempotency-claim.ts'

/** An operation of a gift card service whose result the merchant gets. */
export interface GiftCardOperation<Shown> {
  /** What must hold before the service is asked. A repeated request is not checked again. */
  check(): Promise<void>
  send(service: ReachableService, id: string): Promise<GiftCardOutcome>
  kind: 'activate' | 'issue'
  /**
   * Prepares what is stored of an approved operation. The function that it answers writes it, in the database
   * transaction that records the claim's outcome.
   */
  prepareStore(approved: ApprovedOperation): Promise<(db: Kysely<Tables>) => Promise<Shown>>
  /** The member of the body at which a refusal points. */
  pointer: string
}

export interface ApprovedOperation {
  id: string
  outcome: GiftCardApproved
  service: GiftCardServiceRow
}

/**
 * Makes a gift card service do something once, however often it is requested under one idempotency key.
 * Throws 400 if the service refuses, 504 if its outcome cannot be found out now: a repetition under the same
 * key is sent again under the same operation id.
 */
export async function executeGiftCardOperation<Shown>(
  world: World,
  request: KeyedRequest,
  effect: GiftCardOperation<Shown>,
): Promise<Shown> {
  const { account } = request
  const earlier = await findEarlierClaim(world, request)
  if (!earlier) await effect.check()
  const claim =
    earlier ?? (await claimKey(world, request, (await primaryGiftCardService(world, account)).row.id))
  if (claim.progress.kind === 'approved') return approvedAnswer(claim.progress)
  const service = await giftCardServiceById(world, account, claim.progress.service)
  if (!service) throw serviceUnreachable()
  const outcome = await findOperationOutcome(request, claim, service, effect)
  if (
    outcome.status === 'unknown' ||
    outcome.status === 'pending' ||
    (outcome.status === 'failed' && outcome.code === 'service_network_error')
  )
    throw serviceUnreachable()
  const { row } = service
  if (outcome.status !== 'approved') {
    // a refusal of a repetition says nothing of the first request, whose answer may have been lost; an
    // unprocessed one says nothing of any other request
    const isUnprocessed = outcome.status === 'failed' && outcome.unprocessed === true
    if (!earlier && !isUnprocessed) await releaseClaim(world, request, claim)
    throw refusedByService(outcome, effect.pointer)
  }
  const write = await effect.prepareStore({ id: claim.id, outcome, service: row })
  const recorded = await world.db
    .transaction()
    .execute(async (db) =>
      recordClaimOutcome(world, db, request, claim, { kind: 'approved', answer: await write(db) }),
    )
  return approvedAnswer(recorded)
}

function approvedAnswer<Shown>(progress: ClaimProgress): Shown {
  if (progress.kind === 'sent') throw serviceUnreachable()
  // `recordClaimOutcome` has stored it from the operation's own answer
  return progress.answer as Shown
}

/**
 * If the answer is lost the service's books are read. Without a key the operation cannot be requested again,
 * so it is closed: it has taken effect, or never will.
 */
async function findOperationOutcome<Shown>(
  { key }: KeyedRequest,
  { id }: GiftCardClaim,
  service: ReachableService,
  { kind, send }: GiftCardOperation<Shown>,
): Promise<GiftCardOutcome> {
  const outcome = await send(service, id)
  if (outcome.status !== 'unknown') return outcome
  const finding = await lookUpOperation(
    service.connector,
    { ...service.call, operation: { id, kind } },
    key === undefined,
  )
  return finding.status === 'found' ? finding.outcome : outcome
}

const lookUpOperation = (connector: GiftCardConnector, lookup: GiftCardLookup, isLast: boolean) =>
  isLast ? connector.close(lookup) : connector.find(lookup)
