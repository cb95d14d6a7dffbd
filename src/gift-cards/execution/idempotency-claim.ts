import { type Kysely, sql } from 'kysely'
import { duplicateRecord, invalidHeader } from '../../api/errors.ts'
import {
  fingerprintColumns,
  isSameRequest,
  requestFingerprint,
  type StoredFingerprint,
  splitFingerprint,
} from '../../api/request/request-fingerprint.ts'
import { timeOf } from '../../base/clock.ts'
import type { Tables } from '../../database/tables.ts'
import type { World } from '../../world.ts'

/** A request that may carry an idempotency key (SEMANTICS §0.8, §1.8). */
export interface KeyedRequest {
  account: string
  /** Method and path. */
  scope: string
  key: string | undefined
  /** What the request says; only its keyed hash is kept. */
  body: unknown
}

/**
 * What became of the first request with a key. `sent`: it went to that gift card service and its outcome is not known, so it is sent again, there and
 * under the same operation id: the service does it once.
 */
export type ClaimProgress = { sent: { service: string } } | { approved: unknown }

export interface GiftCardClaim {
  /** Of the operation at the gift card service, and of the resource that it makes. */
  id: string
  progress: ClaimProgress
}

const MAX_KEY_LENGTH = 255

const find = `
select fingerprint, canonical_fingerprint, resource_id, answer from idempotency_keys
 where merchant_account_id = $1 and scope = $2 and key = $3`

const insert = `
insert into idempotency_keys (merchant_account_id, scope, key, fingerprint, canonical_fingerprint, resource_id, representation, answer, created_at)
values ($1, $2, $3, ${fingerprintColumns('$4')}, $5, 'gift-card', $6, $7)
on conflict do nothing`

const release = `
delete from idempotency_keys where merchant_account_id = $1 and scope = $2 and key = $3 and resource_id = $4 and answer->'sent' is not null`

/** The claim of an earlier request with this key; undefined: there was none. Throws 400 for a key that is too long, 409 where that request had another body. */
export async function findEarlierClaim(world: World, { account, scope, key, body }: KeyedRequest): Promise<GiftCardClaim | undefined> {
  if (key === undefined) return undefined
  if (key.length === 0 || key.length > MAX_KEY_LENGTH) throw invalidHeader('idempotency-key', `must have 1 to ${MAX_KEY_LENGTH} characters`)
  const [row] = await world.run<StoredFingerprint & { resource_id: string; answer: ClaimProgress }>(find, [account, scope, key])
  if (!row) return undefined
  if (isSameRequest(world.cipher, row, body)) return { id: row.resource_id, progress: row.answer }
  throw duplicateRecord(row.resource_id, 'Another request with this idempotency key had a different body')
}

/** Claims the key for an operation at a service; of two requests at once one claims it, and both go on with that one's operation. */
export async function claimKey(world: World, request: KeyedRequest, service: string): Promise<GiftCardClaim> {
  const claim: GiftCardClaim = { id: world.ids.next(), progress: { sent: { service } } }
  const { account, scope, key, body } = request
  if (key === undefined) return claim
  for (;;) {
    await world.run(insert, [
      account,
      scope,
      key,
      requestFingerprint(world.cipher, body),
      claim.id,
      JSON.stringify(claim.progress),
      timeOf(world.clock),
    ])
    const standing = await findEarlierClaim(world, request)
    // undefined: whoever had claimed it was refused in between
    if (standing) return standing
  }
}

/**
 * Keeps the outcome with the key, in the database transaction of what it changes, also where another request's refusal has released the claim meanwhile. The first outcome stands;
 * the answer is the one that stands.
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
  const { rows } = await sql<{ answer: ClaimProgress }>`
    insert into idempotency_keys
           (merchant_account_id, scope, key, fingerprint, canonical_fingerprint, resource_id, representation, answer, created_at)
    values (${account}, ${scope}, ${key}, ${sent}, ${canonical}, ${id}, 'gift-card', ${JSON.stringify(progress)}::json, ${timeOf(world.clock)}::timestamptz)
    on conflict (merchant_account_id, scope, key)
      do update set answer = case when idempotency_keys.answer->'sent' is null then idempotency_keys.answer else excluded.answer end
    returning answer`.execute(db)
  return rows[0]?.answer ?? progress
}

/** What the gift card service has refused does not use its key up: the request may be mended and sent again. */
export async function releaseClaim({ run }: World, { account, scope, key }: KeyedRequest, { id }: GiftCardClaim): Promise<void> {
  if (key !== undefined) await run(release, [account, scope, key, id])
}
