import { AsyncResource } from 'node:async_hooks'
import { CONNECTIONS } from '../outgoing/merchant-http.ts'

/** Deliveries to one origin at a time. Tests and tokens are not among them: they find a connection while deliveries have all of theirs. */
const MOST = CONNECTIONS - 8

/** Room for deliveries at each origin, shared by all queues that lead there: who waits for a connection is not waiting for the receiver. */
export interface Room {
  /** Takes a place, to be left again. False: there is none. `whenFree` is then called as soon as there is, queue by queue in the order in which they asked. */
  enter(origin: string, queue: string, whenFree: () => void): boolean
  leave(origin: string): void
}

interface Origin {
  taken: number
  /** By queue, who is to be told of a free place; the longest waiting first. */
  line: Map<string, () => void>
}

export function makeRoom(): Room {
  const origins = new Map<string, Origin>()
  return {
    enter(name, queue, whenFree) {
      const origin = origins.get(name) ?? { taken: 0, line: new Map() }
      if (origin.taken >= MOST) {
        // whoever leaves may live in another account's time
        origin.line.set(queue, AsyncResource.bind(whenFree))
        return false
      }
      origin.taken += 1
      origins.set(name, origin)
      return true
    },
    leave(name) {
      const origin = origins.get(name)
      if (!origin) return
      origin.taken -= 1
      for (const [queue, whenFree] of origin.line) {
        if (origin.taken >= MOST) return
        origin.line.delete(queue)
        whenFree()
      }
      if (origin.taken === 0) origins.delete(name)
    },
  }
}
