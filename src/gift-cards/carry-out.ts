import type { Kysely } from 'kysely'
import type { GiftCardApproved, GiftCardConnector, GiftCardLookup, GiftCardOutcome } from '../connectors/gift-card-connector.ts'
import type { Tables } from '../database/tables.ts'
import type { World } from '../world.ts'
import { type Claim, claimKey, earlierClaim, type KeyedRequest, type Progress, releaseClaim, settleClaim } from './claim.ts'
import type { GiftCardServiceRow } from './gift-card-service.store.ts'
import { giftCardServiceById, primaryGiftCardService, type ReachableService, refusedByService, serviceLost } from './service-call.ts'

/** An operation of a gift card service that makes something which is answered to the merchant. */
export interface Effect<Shown> {
  /** What must be so before the service is asked; a request that is repeated is past that. */
  check(): Promise<void>
  send(service: ReachableService, id: string): Promise<GiftCardOutcome>
  kind: 'activate' | 'issue'
  /** Makes ready what is kept of what the service approved; the answer writes it, in the database transaction that settles the claim. */
  keep(approved: Kept): Promise<(db: Kysely<Tables>) => Promise<Shown>>
  /** The member of the body that a refusal blames. */
  pointer: string
}

export interface Kept {
  id: string
  outcome: GiftCardApproved
  service: GiftCardServiceRow
}

/**
 * Has a gift card service do something once, however often it is asked for under one idempotency key. Throws 400 where the service refuses, 504 where its outcome cannot
 * be found out now: asked again under the same key, it is sent again under the same operation id.
 */
export async function carryOut<Shown>(world: World, request: KeyedRequest, effect: Effect<Shown>): Promise<Shown> {
  const { account } = request
  const earlier = await earlierClaim(world, request)
  if (!earlier) await effect.check()
  const claim = earlier ?? (await claimKey(world, request, (await primaryGiftCardService(world, account)).row.id))
  if (!('sent' in claim.progress)) return answer(claim.progress)
  const service = await giftCardServiceById(world, account, claim.progress.sent.service)
  if (!service) throw serviceLost()
  const outcome = await outcomeOf(request, claim, service, effect)
  if (outcome.status === 'unknown' || (outcome.status === 'failed' && outcome.code === 'service_network_error')) throw serviceLost()
  const { row } = service
  if (outcome.status !== 'approved') {
    // a refusal says nothing of an earlier request with this key, which may have been lost on its way back; one at the door says nothing of any other
    const isOfThisOneAlone = outcome.status === 'failed' && outcome.unprocessed === true
    if (!earlier && !isOfThisOneAlone) await releaseClaim(world, request, claim)
    throw refusedByService(outcome, effect.pointer)
  }
  const write = await effect.keep({ id: claim.id, outcome, service: row })
  const settled = await world.db.transaction().execute(async (db) => settleClaim(world, db, request, claim, { approved: await write(db) }))
  return answer(settled)
}

function answer<Shown>(progress: Progress): Shown {
  if ('sent' in progress) throw serviceLost()
  // kept by `settleClaim` from the effect's own answer
  return progress.approved as Shown
}

/**
 * Where the answer is lost, the books tell. Without a key nobody can ask for this operation again, so it is closed: it has taken effect, or it never will.
 */
async function outcomeOf<Shown>(
  { key }: KeyedRequest,
  { id }: Claim,
  service: ReachableService,
  { kind, send }: Effect<Shown>,
): Promise<GiftCardOutcome> {
  const outcome = await send(service, id)
  if (outcome.status !== 'unknown') return outcome
  const finding = await ask(service.connector, { ...service.call, operation: { id, kind } }, key === undefined)
  return typeof finding === 'object' ? finding.found : outcome
}

const ask = (connector: GiftCardConnector, lookup: GiftCardLookup, isLast: boolean) => (isLast ? connector.close(lookup) : connector.find(lookup))
