import { timeOf } from '../../base/clock.ts'
import type { World } from '../../world.ts'
import { hashRandomToken, newRandomToken } from '../sign-in/session.store.ts'

/** The person has this long to touch the authenticator (WebAuthn §15.1 recommends five minutes). */
export const CHALLENGE_LIFETIME_MS = 5 * 60_000
/** Of `newRandomToken`. */
const RANDOM_BYTES = 32

/**
 * A new challenge, for a session that adds a passkey or proves its person again, or null for a sign-in. It is in
 * the database, so that every process can take it back. `purpose`: what the answer is good for; it follows the
 * random bytes, so that the authenticator signs it, too.
 */
export async function createChallenge(
  { db, clock }: Pick<World, 'db' | 'clock'>,
  session: string | null,
  purpose: Buffer = Buffer.alloc(0),
): Promise<{ bytes: Uint8Array<ArrayBuffer>; expiresAt: string }> {
  const random = Buffer.from(newRandomToken(), 'base64url')
  const challenge = Buffer.concat([random, purpose]).toString('base64url')
  const expiresAt = new Date(clock.now() + CHALLENGE_LIFETIME_MS).toISOString()
  await db
    .insertInto('passkey_challenges')
    .values({ challenge_hash: hashRandomToken(challenge), session_id: session, expires_at: expiresAt })
    .execute()
  return { bytes: Uint8Array.from(Buffer.from(challenge, 'base64url')), expiresAt }
}

/**
 * Whether this challenge was made for this session, or for a sign-in if null, is unused and has not expired.
 * The statement that deletes it decides: of two answers to one challenge, one is verified.
 */
export async function takeChallenge(
  { db, clock }: Pick<World, 'db' | 'clock'>,
  challenge: string,
  session: string | null,
): Promise<boolean> {
  const taken = await db
    .deleteFrom('passkey_challenges')
    .where('challenge_hash', '=', hashRandomToken(challenge))
    .where('session_id', session === null ? 'is' : '=', session)
    .where('expires_at', '>', timeOf(clock))
    .returning('expires_at')
    .executeTakeFirst()
  return taken !== undefined
}

/** Whether a challenge was made for this purpose. */
export const isChallengeFor = (challenge: string, purpose: Buffer): boolean => {
  const bytes = Buffer.from(challenge, 'base64url')
  return bytes.length === RANDOM_BYTES + purpose.length && bytes.subarray(RANDOM_BYTES).equals(purpose)
}
