import { setTimeout as wait } from 'node:timers/promises'
import { ApiError, concurrentRequest } from '../api/errors.ts'
import { requestFingerprint } from '../api/request/request-fingerprint.ts'
import {
  findStoredRequest,
  type KeyedRequest,
  requireSameBody,
  requireValidKey,
} from '../database/idempotency-key.ts'
import type { World } from '../world.ts'
import { type Claim, IdempotencyKeyTaken } from './journal/journal.ts'

/** A request whose answer is stored with its idempotency key. */
export interface RepresentedRequest extends KeyedRequest {
  /** The name of the form in which the answer is shown; it is stored with the key. */
  representation: string
}

export interface RepresentedAnswer {
  status: number
  body: unknown
}

/**
 * True if another process recorded the outcome while this request was under way, for example recovery beside
 * a slow process. The request then answers what is stored with its key, as every repetition of it does.
 */
export interface SupersededAnswer {
  answered_before?: boolean
}

/** Shows the rows of an answer in the form of that name. Undefined: this version does not know the form. */
export type Represent<Shown> = (representation: string, shown: Shown) => RepresentedAnswer | undefined

const TIMEOUT_MS = 10_000

/** The claim of a request on its key; undefined: it has none. */
export const createClaim = (
  world: World,
  { scope, key, body, representation }: RepresentedRequest,
): Claim | undefined =>
  key === undefined
    ? undefined
    : { scope, key, representation, fingerprint: requestFingerprint(world.cipher, body) }

/**
 * Does the work, or answers what the first request with this key was answered. The statement that intends the
 * operation claims the key, so nothing is looked up beforehand: only a request that could not claim its key,
 * or that is refused, asks whether it is a repetition.
 */
export async function runIdempotently<Shown>(
  world: World,
  request: RepresentedRequest,
  represent: Represent<Shown>,
  work: (claim: Claim | undefined) => Promise<Shown & SupersededAnswer>,
): Promise<RepresentedAnswer> {
  requireValidKey(request.key)
  const claim = createClaim(world, request)
  try {
    const shown = await work(claim)
    const stored =
      claim && shown.answered_before && (await storedAnswer<Shown>(world, request.account, claim))?.answer
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

/** `answer` is null while the first request is under way. */
const storedAnswer = <Shown>(world: World, account: string, { scope, key }: Claim) =>
  findStoredRequest<Shown | null>(world, { account, scope, key })

/**
 * The stored answer; while the first request is under way it is waited for. Undefined: no request has claimed
 * this key.
 */
async function replayStoredAnswer<Shown>(
  world: World,
  { account, body }: RepresentedRequest,
  claim: Claim,
  represent: Represent<Shown>,
): Promise<RepresentedAnswer | undefined> {
  const deadline = performance.now() + TIMEOUT_MS
  for (let pause = 10; ; pause = Math.min(pause * 2, 250)) {
    const stored = await storedAnswer<Shown>(world, account, claim)
    if (!stored) return undefined
    requireSameBody(world, stored, body)
    const answer = stored.answer && represent(stored.representation, stored.answer)
    if (answer) return answer
    if (performance.now() > deadline) throw concurrentRequest()
    await wait(pause)
  }
}
