import { findStoredRequest, requireSameBody } from '../../database/idempotency-key.ts'
import { createClaim, type RepresentedRequest } from '../../operations/idempotency.ts'
import type { Claim } from '../../operations/journal/journal.ts'
import type { World } from '../../world.ts'

/** A request of a platform, under its key. */
export type PlatformRequest = RepresentedRequest & { key: string }

/**
 * Does the work, which claims the key with its change, once. `replayed`: an earlier request with this key has
 * done it. Throws 409 if that request had another body.
 */
export async function doOnce(
  world: World,
  request: PlatformRequest,
  work: (claim: Claim) => Promise<void>,
): Promise<{ id: string; replayed: true } | { replayed: false }> {
  const stored = await storedRequest(world, request)
  if (stored) return stored
  const claim = createClaim(world, request)
  if (!claim) throw new Error('the schema requires an idempotency key')
  try {
    await work(claim)
    return { replayed: false }
  } catch (error) {
    // also where the work was refused because the first request has done it meanwhile
    const done = await storedRequest(world, request)
    if (done) return done
    throw error
  }
}

async function storedRequest(world: World, request: PlatformRequest) {
  const stored = await findStoredRequest(world, request)
  if (!stored) return undefined
  requireSameBody(world, stored, request.body)
  world.metrics.answerReplayed()
  return { id: stored.resource_id, replayed: true as const }
}
