import { AsyncResource } from 'node:async_hooks'
import { CONNECTIONS } from '../../outgoing/merchant-http.ts'

/** Deliveries to one origin at a time. Tests and tokens are not among them: they find a connection while deliveries have all of theirs. */
const MAX_PER_ORIGIN = CONNECTIONS - 8

/** Room for deliveries at each origin, shared by all queues that lead there: who waits for a connection is not waiting for the receiver. */
export interface OriginConcurrency {
  /** Takes a place, to be left again. False: there is none. `whenFree` is then called as soon as there is, queue by queue in the order in which they asked. */
  acquire(origin: string, queue: string, whenFree: () => void): boolean
  release(origin: string): void
}

interface OriginUse {
  inFlight: number
  /** By queue, who is to be told of a free place; the longest waiting first. */
  waitingQueues: Map<string, () => void>
}

export function makeOriginConcurrency(): OriginConcurrency {
  const origins = new Map<string, OriginUse>()
  return {
    acquire(name, queue, whenFree) {
      const origin = origins.get(name) ?? { inFlight: 0, waitingQueues: new Map() }
      if (origin.inFlight >= MAX_PER_ORIGIN) {
        // whoever leaves may live in another account's time
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
