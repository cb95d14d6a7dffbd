import type { FastifyInstance } from 'fastify'
import type { World } from '../world.ts'
import { sendError } from './error-handler.ts'
import { overloaded } from './errors.ts'

declare module 'fastify' {
  interface FastifyRequest {
    /** True where it was sent away because there was too much to do. */
    isShed: boolean
  }
}

/** What comes at once to a process that has rested is a burst: so many requests are admitted however long they will wait. */
const BURST = 512
/** After so long without having made anybody wait for too long, a process has rested. */
const REST_MS = 1_000

/**
 * Decides for each request whether there is time for it: `wait` is how long it would wait for its turn, `now` the time, both in milliseconds. A wait of more than
 * `longest` is for bursts, once; who comes while it lasts is refused. What was admitted is never refused any more.
 */
export function admission(longest: number): (wait: number, now: number) => boolean {
  let burst = BURST
  let lastWait = Number.NEGATIVE_INFINITY
  return (wait, now) => {
    if (wait <= longest) {
      if (now - lastWait >= REST_MS) burst = BURST
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
 * Refuses requests that would wait too long for the database, before anything is read or done for them: the others are answered in time, where otherwise all would wait,
 * and what was done for those that gave up would be lost. Operations that need no bearer are admitted always: health, metrics, what payment services tell and where
 * buyers return to.
 */
export function shedLoad(app: FastifyInstance, world: Pick<World, 'settings' | 'connections' | 'metrics' | 'log'>): void {
  const { settings, log, metrics } = world
  app.decorateRequest('isShed', false)
  if (settings.longestTurn === 0) return
  const admits = admission(settings.longestTurn)
  let refused = 0
  let loggedAt = Number.NEGATIVE_INFINITY

  app.addHook('onRequest', (request, reply, next) => {
    if (request.routeOptions.config.scopes === 'public') return next()
    const { waitMs } = world.connections()
    const now = performance.now()
    if (admits(waitMs, now)) return next()
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
}
