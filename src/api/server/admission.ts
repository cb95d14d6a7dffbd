import type { FastifyInstance } from 'fastify'
import type { PendingRequest } from '../../base/pending-requests.ts'
import type { World } from '../../world.ts'
import { overloaded } from '../errors.ts'
import { sendError } from './error-handler.ts'

declare module 'fastify' {
  interface FastifyRequest {
    /** True: refused because too many requests were waiting. */
    isShed: boolean
    /** The entry among the admitted requests; null: the request was not admitted. */
    pendingRequest: PendingRequest | null
  }
}

/** A burst to a process that has recovered: this many requests are admitted, however long they will wait. */
const BURST = 512
/** A process has recovered after this long without a request that would wait too long. */
const RECOVERED_AFTER_MS = 1_000

/**
 * Makes a function that decides whether a request is admitted: `waitMs` is how long it would wait for its
 * turn, `now` the time in milliseconds. Requests that would wait longer than `maxWaitMs` are admitted for one
 * burst only. An admitted request is never refused later.
 */
export function createAdmission(maxWaitMs: number): (waitMs: number, now: number) => boolean {
  let burstLeft = BURST
  let lastLongWaitAt = Number.NEGATIVE_INFINITY
  return (waitMs, now) => {
    if (waitMs <= maxWaitMs) {
      if (now - lastLongWaitAt >= RECOVERED_AFTER_MS) burstLeft = BURST
      return true
    }
    lastLongWaitAt = now
    if (burstLeft === 0) return false
    burstLeft -= 1
    return true
  }
}

const LOG_EVERY_MS = 1_000
const refusal = overloaded()

/**
 * Refuses requests that would wait too long, before anything is read or done for them. The others are then
 * answered in time; without this all would wait, and the work for clients that gave up would be lost. Public
 * operations are always admitted: health, metrics, notifications of payment services and returning buyers.
 */
export function shedLoad(
  app: FastifyInstance,
  world: Pick<World, 'settings' | 'pendingRequests' | 'metrics' | 'log'>,
): void {
  const { settings, pendingRequests, log, metrics } = world
  const isAdmitted = settings.overloadWait === 0 ? () => true : createAdmission(settings.overloadWait)
  app.decorateRequest('isShed', false)
  app.decorateRequest('pendingRequest', null)
  let refused = 0
  let loggedAt = Number.NEGATIVE_INFINITY

  app.addHook('onRequest', (request, reply, next) => {
    const waitMs = pendingRequests.waitMs()
    const now = performance.now()
    if (request.routeOptions.config.scopes === 'public' || isAdmitted(waitMs, now)) {
      const pendingRequest = pendingRequests.add()
      request.pendingRequest = pendingRequest
      // a handler may never answer a client that has disconnected
      reply.raw.once('close', () => pendingRequest.finish())
      return next()
    }
    request.isShed = true
    metrics.requestShed()
    refused += 1
    if (now - loggedAt >= LOG_EVERY_MS) {
      log.warn(
        { refused, waitMs: Math.round(waitMs) },
        'more requests than can be answered in time: some are refused',
      )
      refused = 0
      loggedAt = now
    }
    void sendError(reply.header('x-request-id', request.id), refusal)
  })
  // a client that is slow to send its body, or to read its answer, does not make other requests wait
  app.addHook('preParsing', (request, _reply, _payload, next) => {
    request.pendingRequest?.pause()
    next()
  })
  app.addHook('preValidation', (request, _reply, next) => {
    request.pendingRequest?.resume()
    next()
  })
  app.addHook('onSend', (request, _reply, payload, next) => {
    request.pendingRequest?.finish()
    next(null, payload)
  })
}
