import { setTimeout } from 'node:timers/promises'
import { type PeriodicTask, startPeriodicTask } from './periodic-task.ts'

/** Jobs that one statement claims. */
const BATCH = 32
/** A process that does this many jobs of one service claims no more of them. */
const MAX_OF_ONE_SERVICE = 16
/** A process that does this many jobs claims no more at all. */
const MAX_AT_ONCE = 256

/** What a process claims no jobs of, since it does enough of them. */
interface Saturation {
  /** The services (`serviceOf`). */
  services: readonly string[]
  /** Of none at all. */
  isFull: boolean
}

/** The jobs that a process does now: those of a service that does not answer delay no others. */
export interface JobsUnderWay {
  add(service: string, job: Promise<void>): void
  saturation(): Saturation
  /**
   * Waits until there is room for jobs that were not claimed for this saturation: true. False: no job was left out
   * for it, or `patienceMs` have passed. `patienceMs` null: waits as long as it takes, and where no job was left out
   * until all have ended.
   */
  awaitRoom(since: Saturation, patienceMs: number | null): Promise<boolean>
  /** Waits until all have ended. */
  awaitEnd(): Promise<void>
}

export function createJobsUnderWay(): JobsUnderWay {
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
    add(service, job) {
      change(service, 1)
      void job.finally(() => {
        change(service, -1)
        ended.resolve(false)
        ended = Promise.withResolvers()
      })
    },
    async awaitRoom(since, patienceMs) {
      const leftOutJobs = since.isFull || since.services.length > 0
      if (!leftOutJobs && patienceMs !== null) return false
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

/** Rows that are jobs, each for one process alone. */
export interface DueJobs<Job> {
  /** Claims up to `limit` jobs, the longest due first, and none of these services. */
  claim: (limit: number, saturated: readonly string[]) => Promise<Job[]>
  /** What a job asks, as far as one that does not answer is to delay no other. */
  serviceOf: (job: Job) => string
  /** Does not throw. */
  process: (job: Job) => Promise<void>
}

export interface JobRound {
  /** No job is claimed any more. */
  stopped?: () => boolean
  /** What the process does already. */
  underWay?: JobsUnderWay
  /**
   * How long the round waits for room for jobs that it could not claim; it does not wait for the others that it has
   * begun. Absent: it ends when all have ended.
   */
  patienceMs?: number
}

/** Does the jobs whose time has come; answers how many. */
export async function processDueJobs<Job>(
  { claim, serviceOf, process }: DueJobs<Job>,
  { stopped = () => false, underWay = createJobsUnderWay(), patienceMs }: JobRound = {},
): Promise<number> {
  let handled = 0
  for (;;) {
    const saturation = underWay.saturation()
    const due = stopped() || saturation.isFull ? [] : await claim(BATCH, saturation.services)
    for (const job of due) underWay.add(serviceOf(job), process(job))
    handled += due.length
    if (due.length < BATCH && !(await underWay.awaitRoom(saturation, patienceMs ?? null))) return handled
  }
}

/**
 * Runs a round every `ms` milliseconds. While services do not answer, a round has ended when the next one is due, which
 * claims jobs of the others; `runOnce` and `stop` wait for all jobs.
 */
export function startJobRounds(
  ms: number,
  round: (options: Required<JobRound>) => Promise<number>,
  logFailure: (error: unknown) => void,
): PeriodicTask {
  const underWay = createJobsUnderWay()
  const task = startPeriodicTask(
    ms,
    (stopped) => round({ stopped, underWay, patienceMs: ms / 2 }),
    logFailure,
  )
  return {
    async runOnce() {
      const handled = await task.runOnce()
      await underWay.awaitEnd()
      return handled
    },
    async stop() {
      await task.stop()
      await underWay.awaitEnd()
    },
  }
}
