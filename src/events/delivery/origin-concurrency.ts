import { AsyncResource } from 'node:async_hooks'
import { CONNECTIONS } from '../../outgoing/merchant-http.ts'

/**
 * Deliveries in flight to one origin. Test events and token requests do not count: they have connections of
 * their own.
 */
const MAX_PER_ORIGIN = CONNECTIONS - 8

/**
 * Limits the deliveries in flight to each origin, for all queues that send there. Without it deliveries would
 * wait for a connection, and that wait would count as the receiver's time.
 */
export interface OriginConcurrency {
  /**
   * Takes a slot, which `release` gives back. False: all are taken; `whenFree` is called as soon as one is
   * free, the queue that waits longest first.
   */
  acquire(origin: string, queue: string, whenFree: () => void): boolean
  release(origin: string): void
}

interface OriginUse {
  inFlight: number
  /** `whenFree` by queue; the longest waiting first. */
  waitingQueues: Map<string, () => void>
}

export function makeOriginConcurrency(): OriginConcurrency {
  const origins = new Map<string, OriginUse>()
  return {
    acquire(name, queue, whenFree) {
      const origin = origins.get(name) ?? { inFlight: 0, waitingQueues: new Map() }
      if (origin.inFlight >= MAX_PER_ORIGIN) {
        // the delivery that releases the slot may run under another account's clock
        origin.waitingQueues.set(queue, AsyncResource.bind(whenFree))
        return false
      }
      origin.inFlight += 1
      origins.set(name, origin)
      return true
    },
    release(name) {
      const origin = origins.get(name)
      if (!origin) return
      origin.inFlight -= 1
      for (const [queue, whenFree] of origin.waitingQueues) {
        if (origin.inFlight >= MAX_PER_ORIGIN) return
        origin.waitingQueues.delete(queue)
        whenFree()
      }
      if (origin.inFlight === 0) origins.delete(name)
    },
  }
}
