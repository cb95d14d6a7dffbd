import { setTimeout as wait } from 'node:timers/promises'
import { ApiError, concurrentRequest, duplicateRecord, invalidHeader } from '../api/errors.ts'
import { isSameRequest, requestFingerprint, type StoredFingerprint } from '../api/request/request-fingerprint.ts'
import type { World } from '../world.ts'
import { type Claim, IdempotencyKeyTaken } from './journal/journal.ts'

/** A request that may carry an idempotency key (SEMANTICS §0.8). */
export interface KeyedRequest {
  account: string
  /** Method and path, with its ids in canonical form (`canonicalPath`): however the URL was spelled, it is one scope. */
  scope: string
  key: string | undefined
  /** What the request says; only its keyed hash is kept. */
  body: unknown
  /** How the answer is shown: a name that is stored with the key. */
  representation: string
}

export interface RepresentedAnswer {
  status: number
  body: unknown
}

/**
 * True where another settled while this one was under way, a slow process beside recovery: what that stored is answered to everybody who repeats the request, and so
 * it is to whoever was first.
 */
export interface SupersededAnswer {
  answered_before?: boolean
}

/** Shows the rows of an answer in a form by its name. Undefined: this version knows no such form. */
export type Represent<Shown> = (representation: string, shown: Shown) => RepresentedAnswer | undefined

const MAX_KEY_LENGTH = 255
const TIMEOUT_MS = 10_000

const selectStoredAnswer = `
select fingerprint, canonical_fingerprint, resource_id, representation, answer from idempotency_keys
 where merchant_account_id = $1 and scope = $2 and key = $3`

interface StoredRequest<Shown> extends StoredFingerprint {
  resource_id: string
  representation: string
  answer: Shown | null
}

/** The claim of a request on its key; undefined: it has none. */
export const createClaim = (world: World, { scope, key, body, representation }: KeyedRequest): Claim | undefined =>
  key === undefined ? undefined : { scope, key, representation, fingerprint: requestFingerprint(world.cipher, body) }

/**
 * Does the work, or answers what the first request with this key was answered. The claim on the key is made by the statement that intends the
 * operation, so nothing is looked up beforehand: only a request that could not claim, or that is refused, asks whether it is a repetition.
 */
export async function runIdempotently<Shown>(
  world: World,
  request: KeyedRequest,
  represent: Represent<Shown>,
  work: (claim: Claim | undefined) => Promise<Shown & SupersededAnswer>,
): Promise<RepresentedAnswer> {
  if (request.key !== undefined && (request.key.length === 0 || request.key.length > MAX_KEY_LENGTH)) {
    throw invalidHeader('idempotency-key', `must have 1 to ${MAX_KEY_LENGTH} characters`)
  }
  const claim = createClaim(world, request)
  try {
    const shown = await work(claim)
    const stored = claim && shown.answered_before && (await storedAnswer<Shown>(world, request.account, claim))?.answer
    const answer = represent(request.representation, stored || shown)
    if (!answer) throw new Error(`there is no representation ${request.representation}`)
    return answer
  } catch (error) {
    const repeated =
      claim && (error instanceof IdempotencyKeyTaken || error instanceof ApiError)
        ? await replayStoredAnswer(world, request, claim, represent)
        : undefined
    if (repeated) {
      world.metrics.answerReplayed()
      return repeated
    }
    throw error
  }
}

const storedAnswer = async <Shown>({ run }: World, account: string, { scope, key }: Claim): Promise<StoredRequest<Shown> | undefined> =>
  (await run<StoredRequest<Shown> & Record<string, unknown>>(selectStoredAnswer, [account, scope, key]))[0]

/** The stored answer, waiting for it while the first request is under way. Undefined: no request has this key. */
async function replayStoredAnswer<Shown>(
  world: World,
  { account, body }: KeyedRequest,
  claim: Claim,
  represent: Represent<Shown>,
): Promise<RepresentedAnswer | undefined> {
  const patient = performance.now() + TIMEOUT_MS
  for (let pause = 10; ; pause = Math.min(pause * 2, 250)) {
    const stored = await storedAnswer<Shown>(world, account, claim)
    if (!stored) return undefined
    if (!isSameRequest(world.cipher, stored, body)) {
      throw duplicateRecord(stored.resource_id, 'Another request with this idempotency key had a different body')
    }
    const answer = stored.answer && represent(stored.representation, stored.answer)
    if (answer) return answer
    if (performance.now() > patient) throw concurrentRequest()
    await wait(pause)
  }
}
