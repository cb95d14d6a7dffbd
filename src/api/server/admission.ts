import type { FastifyInstance } from 'fastify'
import type { PendingRequest } from '../../base/pending-requests.ts'
import type { World } from '../../world.ts'
import { overloaded } from '../errors.ts'
import { sendError } from './error-handler.ts'

declare module 'fastify' {
  interface FastifyRequest {
    /** True where it was sent away because there was too much to do. */
    isShed: boolean
    /** Among the requests that were taken on; null: it was not. */
    place: PendingRequest | null
  }
}

/** What comes at once to a process that has rested is a burst: so many requests are admitted however long they will wait. */
const BURST = 512
/** After so long without having made anybody wait for too long, a process has rested. */
const RECOVERED_AFTER_MS = 1_000

/**
 * Decides for each request whether there is time for it: `wait` is how long it would wait for its turn, `now` the time, both in milliseconds. A wait of more than
 * `longest` is for bursts, once; who comes while it lasts is refused. What was admitted is never refused any more.
 */
export function createAdmission(longest: number): (wait: number, now: number) => boolean {
  let burst = BURST
  let lastWait = Number.NEGATIVE_INFINITY
  return (wait, now) => {
    if (wait <= longest) {
      if (now - lastWait >= RECOVERED_AFTER_MS) burst = BURST
      return true
    }
    lastWait = now
    if (burst === 0) return false
    burst -= 1
    return true
  }
}

const LOG_EVERY_MS = 1_000
const refusal = overloaded()

/**
 * Refuses requests that would wait too long, before anything is read or done for them: the others are answered in time, where otherwise all would wait,
 * and what was done for those that gave up would be lost. Operations that need no bearer are admitted always: health, metrics, what payment services tell and where
 * buyers return to.
 */
export function shedLoad(app: FastifyInstance, world: Pick<World, 'settings' | 'pendingRequests' | 'metrics' | 'log'>): void {
  const { settings, pendingRequests, log, metrics } = world
  const admits = settings.overloadWait === 0 ? () => true : createAdmission(settings.overloadWait)
  app.decorateRequest('isShed', false)
  app.decorateRequest('place', null)
  let refused = 0
  let loggedAt = Number.NEGATIVE_INFINITY

  app.addHook('onRequest', (request, reply, next) => {
    const waitMs = pendingRequests.waitMs()
    const now = performance.now()
    if (request.routeOptions.config.scopes === 'public' || admits(waitMs, now)) {
      const place = pendingRequests.add()
      request.place = place
      // of who has gone away a handler may answer nothing
      reply.raw.once('close', () => place.finish())
      return next()
    }
    request.isShed = true
    metrics.requestShed()
    refused += 1
    if (now - loggedAt >= LOG_EVERY_MS) {
      log.warn({ refused, waitMs: Math.round(waitMs) }, 'more requests than can be answered in time: some are refused')
      refused = 0
      loggedAt = now
    }
    void sendError(reply.header('x-request-id', request.id), refusal)
  })
  // a client that takes its time to send a body, or to read an answer, keeps nobody waiting
  app.addHook('preParsing', (request, _reply, _payload, next) => {
    request.place?.pause()
    next()
  })
  app.addHook('preValidation', (request, _reply, next) => {
    request.place?.resume()
    next()
  })
  app.addHook('onSend', (request, _reply, payload, next) => {
    request.place?.finish()
    next(null, payload)
  })
}
