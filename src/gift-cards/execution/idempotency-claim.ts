import { type Kysely, sql } from 'kysely'
import {
  fingerprintColumns,
  requestFingerprint,
  splitFingerprint,
} from '../../api/request/request-fingerprint.ts'
import { timeOf } from '../../base/clock.ts'
import {
  findStoredRequest,
  type KeyedRequest,
  requireSameBody,
  requireValidKey,
} from '../../database/idempotency-key.ts'
import { namedStatement } from '../../database/named-statement.ts'
import type { Tables } from '../../database/tables.ts'
import type { World } from '../../world.ts'

/**
 * How far the first request with a key came. `sent`: it went to that gift card service and its outcome is not
 * known, so it is sent again, to the same service and under the same operation id: the service does it once.
 */
export type ClaimProgress = { kind: 'sent'; service: string } | { kind: 'approved'; answer: unknown }

/** `ClaimProgress` as the key's row has it. */
type StoredProgress = { sent: { service: string } } | { approved: unknown }

const toProgress = (stored: StoredProgress): ClaimProgress =>
  'sent' in stored
    ? { kind: 'sent', service: stored.sent.service }
    : { kind: 'approved', answer: stored.approved }

const toStored = (progress: ClaimProgress): StoredProgress =>
  progress.kind === 'sent' ? { sent: { service: progress.service } } : { approved: progress.answer }

export interface GiftCardClaim {
  /** Of the operation at the gift card service, and of the resource that it makes. */
  id: string
  progress: ClaimProgress
}

const insertClaim = namedStatement(
  ['account', 'scope', 'key', 'fingerprint', 'id', 'progress', 'now'],
  (p) => `
insert into idempotency_keys
       (merchant_account_id, scope, key, fingerprint, canonical_fingerprint, resource_id, representation, answer, created_at)
values (${p.account}, ${p.scope}, ${p.key}, ${fingerprintColumns(p.fingerprint)}, ${p.id}, 'gift-card', ${p.progress}, ${p.now})
    on conflict do nothing`,
)

const deleteClaim = namedStatement(
  ['account', 'scope', 'key', 'id'],
  (p) => `
delete from idempotency_keys
 where merchant_account_id = ${p.account}
   and scope = ${p.scope}
   and key = ${p.key}
   and resource_id = ${p.id}
   and answer->'sent' is not null`,
)

/**
 * The claim of an earlier request with this key. Undefined: there is none. Throws 400 for a key that is too
 * long, 409 if that request had another body.
 */
export async function findEarlierClaim(
  world: World,
  { account, scope, key, body }: KeyedRequest,
): Promise<GiftCardClaim | undefined> {
  if (key === undefined) return undefined
  requireValidKey(key)
  const stored = await findStoredRequest<StoredProgress>(world, { account, scope, key })
  if (!stored) return undefined
  requireSameBody(world, stored, body)
  return { id: stored.resource_id, progress: toProgress(stored.answer) }
}

/**
 * Claims the key for an operation at a gift card service. Of two requests at once one claims it, and both
 * continue with that claim's operation.
 */
export async function claimKey(world: World, request: KeyedRequest, service: string): Promise<GiftCardClaim> {
  const claim: GiftCardClaim = { id: world.ids.next(), progress: { kind: 'sent', service } }
  const { account, scope, key, body } = request
  if (key === undefined) return claim
  for (;;) {
    await insertClaim.run(world, {
      account,
      scope,
      key,
      fingerprint: requestFingerprint(world.cipher, body),
      id: claim.id,
      progress: JSON.stringify(toStored(claim.progress)),
      now: timeOf(world.clock),
    })
    const claimed = await findEarlierClaim(world, request)
    // undefined: the request that had claimed the key was refused in between, and released it
    if (claimed) return claimed
  }
}

/**
 * Stores the outcome with the key, in the database transaction of what the outcome changes; also if another
 * request's refusal has released the claim meanwhile. The first outcome counts, and is answered.
 */
export async function recordClaimOutcome(
  world: World,
  db: Kysely<Tables>,
  { account, scope, key, body }: KeyedRequest,
  { id }: GiftCardClaim,
  progress: ClaimProgress,
): Promise<ClaimProgress> {
  if (key === undefined) return progress
  const [sent, canonical] = splitFingerprint(requestFingerprint(world.cipher, body))
  const answer = JSON.stringify(toStored(progress))
  const { rows } = await sql<{ answer: StoredProgress }>`
    insert into idempotency_keys
           (merchant_account_id, scope, key, fingerprint, canonical_fingerprint, resource_id, representation, answer, created_at)
    values (${account}, ${scope}, ${key}, ${sent}, ${canonical}, ${id}, 'gift-card', ${answer}::json, ${timeOf(world.clock)}::timestamptz)
        on conflict (merchant_account_id, scope, key) do update
       set answer = case
             when idempotency_keys.answer->'sent' is null
             then idempotency_keys.answer
             else excluded.answer
           end
    returning answer`.execute(db)
  const [row] = rows
  return row ? toProgress(row.answer) : progress
}

/**
 * Releases the key of a request that the gift card service refused: the request may be corrected and sent
 * again.
 */
export async function releaseClaim(
  world: World,
  { account, scope, key }: KeyedRequest,
  { id }: GiftCardClaim,
): Promise<void> {
  if (key !== undefined) await deleteClaim.run(world, { account, scope, key, id })
}
