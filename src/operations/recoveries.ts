import { setTimeout } from 'node:timers/promises'
import { askedService } from './journal/claim-operations.ts'
import type { OperationRow } from './operation.ts'

/** A process that recovers this many operations of one service claims no more of them. */
const MAX_OF_ONE_SERVICE = 16
/** A process that recovers this many operations claims no more at all. */
const MAX_AT_ONCE = 256

/** What a process claims no operations of, since it recovers enough of them. */
export interface Saturation {
  /** The services (`askedService`). */
  services: readonly string[]
  /** Of none at all. */
  isFull: boolean
}

/** The operations that a process recovers now: those of a service that does not answer delay no others. */
export interface Recoveries {
  add(operation: OperationRow, recovery: Promise<void>): void
  saturation(): Saturation
  /**
   * Waits until there is room for operations that were not claimed for this saturation: true. False: there is none to
   * wait for, or `patienceMs` have passed; null: as long as it takes.
   */
  awaitRoom(since: Saturation, patienceMs: number | null): Promise<boolean>
  /** Waits until all have ended. */
  awaitEnd(): Promise<void>
}

export function createRecoveries(): Recoveries {
  const counts = new Map<string, number>()
  let total = 0
  let ended = Promise.withResolvers<false>()
  const isSaturated = (service: string) => (counts.get(service) ?? 0) >= MAX_OF_ONE_SERVICE
  const isFull = () => total >= MAX_AT_ONCE
  const change = (service: string, by: 1 | -1) => {
    total += by
    const count = (counts.get(service) ?? 0) + by
    if (count === 0) counts.delete(service)
    else counts.set(service, count)
  }
  return {
    saturation: () => ({ services: [...counts.keys()].filter(isSaturated), isFull: isFull() }),
    add(operation, recovery) {
      const service = askedService(operation)
      change(service, 1)
      void recovery.finally(() => {
        change(service, -1)
        ended.resolve(false)
        ended = Promise.withResolvers()
      })
    },
    async awaitRoom(since, patienceMs) {
      const hasRoom = () =>
        !isFull() && (since.isFull || since.services.some((service) => !isSaturated(service)))
      const late = patienceMs === null ? undefined : setTimeout(patienceMs, true, { ref: false })
      while (total > 0 && !hasRoom())
        if (await (late ? Promise.race([ended.promise, late]) : ended.promise)) return false
      return hasRoom()
    },
    async awaitEnd() {
      while (total > 0) await ended.promise
    },
  }
}
