import type { Kysely } from 'kysely'
import type { GiftCardApproved, GiftCardConnector, GiftCardLookup, GiftCardOutcome } from '../../connectors/gift-card-connector.ts'
import type { Tables } from '../../database/tables.ts'
import type { World } from '../../world.ts'
import type { GiftCardServiceRow } from '../services/gift-card-service.store.ts'
import { giftCardServiceById, primaryGiftCardService, type ReachableService, refusedByService, serviceUnreachable } from '../services/service-call.ts'
import {
  type ClaimProgress,
  claimKey,
  findEarlierClaim,
  type GiftCardClaim,
  type KeyedRequest,
  recordClaimOutcome,
  releaseClaim,
} from './idempotency-claim.ts'

/** An operation of a gift card service that makes something which is answered to the merchant. */
export interface GiftCardOperation<Shown> {
  /** What must be so before the service is asked; a request that is repeated is past that. */
  check(): Promise<void>
  send(service: ReachableService, id: string): Promise<GiftCardOutcome>
  kind: 'activate' | 'issue'
  /** Makes ready what is kept of what the service approved; the answer writes it, in the database transaction that settles the claim. */
  prepareStore(approved: ApprovedOperation): Promise<(db: Kysely<Tables>) => Promise<Shown>>
  /** The member of the body that a refusal blames. */
  pointer: string
}

export interface ApprovedOperation {
  id: string
  outcome: GiftCardApproved
  service: GiftCardServiceRow
}

/**
 * Has a gift card service do something once, however often it is asked for under one idempotency key. Throws 400 where the service refuses, 504 where its outcome cannot
 * be found out now: asked again under the same key, it is sent again under the same operation id.
 */
export async function executeGiftCardOperation<Shown>(world: World, request: KeyedRequest, effect: GiftCardOperation<Shown>): Promise<Shown> {
  const { account } = request
  const earlier = await findEarlierClaim(world, request)
  if (!earlier) await effect.check()
  const claim = earlier ?? (await claimKey(world, request, (await primaryGiftCardService(world, account)).row.id))
  if (!('sent' in claim.progress)) return approvedAnswer(claim.progress)
  const service = await giftCardServiceById(world, account, claim.progress.sent.service)
  if (!service) throw serviceUnreachable()
  const outcome = await findOperationOutcome(request, claim, service, effect)
  if (outcome.status === 'unknown' || (outcome.status === 'failed' && outcome.code === 'service_network_error')) throw serviceUnreachable()
  const { row } = service
  if (outcome.status !== 'approved') {
    // a refusal says nothing of an earlier request with this key, which may have been lost on its way back; one at the door says nothing of any other
    const isOfThisOneAlone = outcome.status === 'failed' && outcome.unprocessed === true
    if (!earlier && !isOfThisOneAlone) await releaseClaim(world, request, claim)
    throw refusedByService(outcome, effect.pointer)
  }
  const write = await effect.prepareStore({ id: claim.id, outcome, service: row })
  const settled = await world.db.transaction().execute(async (db) => recordClaimOutcome(world, db, request, claim, { approved: await write(db) }))
  return approvedAnswer(settled)
}

function approvedAnswer<Shown>(progress: ClaimProgress): Shown {
  if ('sent' in progress) throw serviceUnreachable()
  // kept by `recordClaimOutcome` from the effect's own answer
  return progress.approved as Shown
}

/**
 * Where the answer is lost, the books tell. Without a key nobody can ask for this operation again, so it is closed: it has taken effect, or it never will.
 */
async function findOperationOutcome<Shown>(
  { key }: KeyedRequest,
  { id }: GiftCardClaim,
  service: ReachableService,
  { kind, send }: GiftCardOperation<Shown>,
): Promise<GiftCardOutcome> {
  const outcome = await send(service, id)
  if (outcome.status !== 'unknown') return outcome
  const finding = await lookUpOperation(service.connector, { ...service.call, operation: { id, kind } }, key === undefined)
  return finding.status === 'found' ? finding.outcome : outcome
}

const lookUpOperation = (connector: GiftCardConnector, lookup: GiftCardLookup, isLast: boolean) =>
  isLast ? connector.close(lookup) : connector.find(lookup)
