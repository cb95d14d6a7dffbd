import { duplicateRecord, invalidHeader } from '../api/errors.ts'
import { isSameRequest, type StoredFingerprint } from '../api/request/request-fingerprint.ts'
import type { World } from '../world.ts'
import { namedStatement } from './named-statement.ts'

/** A request that may carry an idempotency key (semantics §0.8, §1.8). */
export interface KeyedRequest {
  account: string
  /**
   * Method and path, with its ids in canonical form (`canonicalPath`), so that a URL that is spelled in
   * another way has the same scope.
   */
  scope: string
  key: string | undefined
  /** The body of the request; only its keyed hash is stored. */
  body: unknown
}

/** What the first request with a key has stored. */
interface StoredRequest<Answer> extends StoredFingerprint {
  resource_id: string
  representation: string
  answer: Answer
}

const MAX_KEY_LENGTH = 255

/** Throws 400 for an idempotency key that is empty or too long. */
export function requireValidKey(key: string | undefined): void {
  if (key !== undefined && (key.length === 0 || key.length > MAX_KEY_LENGTH)) {
    throw invalidHeader('idempotency-key', `must have 1 to ${MAX_KEY_LENGTH} characters`)
  }
}

const selectStoredRequest = namedStatement(
  ['account', 'scope', 'key'],
  (p) => `
select fingerprint, canonical_fingerprint, resource_id, representation, answer
  from idempotency_keys
 where merchant_account_id = ${p.account}
   and scope = ${p.scope}
   and key = ${p.key}`,
)

/** Undefined: no request has claimed this key. */
export async function findStoredRequest<Answer>(
  world: Pick<World, 'run'>,
  key: { account: string; scope: string; key: string },
): Promise<StoredRequest<Answer> | undefined> {
  const [stored] = await selectStoredRequest.run<StoredRequest<Answer>>(world, key)
  return stored
}

/**
 * Throws 409 `duplicate_record` with the id of the stored request's resource if that request had another
 * body.
 */
export function requireSameBody(
  { cipher }: Pick<World, 'cipher'>,
  stored: StoredRequest<unknown>,
  body: unknown,
): void {
  if (!isSameRequest(cipher, stored, body)) {
    throw duplicateRecord(
      stored.resource_id,
      'Another request with this idempotency key had a different body',
    )
  }
}
