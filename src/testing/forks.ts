import { type Spare, startSpare } from '../process/fork.ts'
import type { OpenWorld, Railyard } from '../process/railyard.ts'

/** Copies of the instance that a process serves. */
export interface Forks {
  fork(original: Railyard, prepare: (copy: OpenWorld) => Promise<void>): Promise<Railyard>
  /** Closes the instances that wait. Copies are their callers'. */
  close(): Promise<void>
}

/**
 * A test that forks once does so again soon. Two, because the next fork may come before the last one has been
 * replaced.
 */
const SPARES = 2

/** Keeps instances ready that become copies, from the first fork on: to start one takes longer than to copy. */
export function prepareForks(model: Railyard): Forks {
  const waiting: Promise<Spare>[] = []
  const replenish = () => {
    while (waiting.length < SPARES) {
      const spare = (waiting.at(-1) ?? Promise.resolve()).catch(() => undefined).then(() => startSpare(model))
      spare.catch(() => undefined) // reported by the fork that takes it
      waiting.push(spare)
    }
  }
  return {
    async fork(original, prepare) {
      replenish()
      const spare = await waiting.shift()
      const copy = await spare?.become(original, prepare)
      if (!copy) throw new Error('no instance waits to become a copy')
      setImmediate(replenish)
      return copy
    },
    async close() {
      for (const spare of waiting.splice(0)) await spare.then(({ close }) => close()).catch(() => undefined)
    },
  }
}
