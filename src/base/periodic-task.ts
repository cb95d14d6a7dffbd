/** Background work that a process does every so often. */
export interface PeriodicTask {
  /**
   * Does all work that is due now and answers how much that was. While a round is running, another one
   * follows it: the first may have read what is due too early.
   */
  runOnce(): Promise<number>
  /** Starts no new round, and waits for the one that is running. */
  stop(): Promise<void>
}

export interface PeriodicTaskOptions {
  /**
   * When the first round begins, in milliseconds; 0: now. Default: after an interval and a part of one, at most a
   * minute, which is another one for each task.
   */
  firstAfterMs?: number
}

/** Tasks whose rounds begin together would take many connections at once, and let payments wait. */
const MAX_PART_MS = 60_000
/** Its multiples, modulo 1, lie far from each other, however many there are. */
const GOLDEN_RATIO = (Math.sqrt(5) - 1) / 2
/** Other processes begin elsewhere. */
let part = Math.random()

function afterIntervalAndPart(ms: number): number {
  part = (part + GOLDEN_RATIO) % 1
  return ms + part * Math.min(ms, MAX_PART_MS)
}

/**
 * How often rounds that fail one after the other are logged: while the database is away, a line for each task
 * and second would hide all others.
 */
const LOG_EVERY_MS = 60_000

/**
 * Runs a round every `ms` milliseconds, never two at once. A round must begin no new work once `isStopped`
 * answers true. `logFailure` is called for a round that fails after one that succeeded, and then once a
 * minute.
 */
export function startPeriodicTask(
  ms: number,
  round: (isStopped: () => boolean) => Promise<number>,
  logFailure: (error: unknown) => void,
  { firstAfterMs = afterIntervalAndPart(ms) }: PeriodicTaskOptions = {},
): PeriodicTask {
  let running: Promise<number> | undefined
  let stopped = false
  let loggedAt = Number.NEGATIVE_INFINITY
  const begin = () => {
    running ??= round(() => stopped).finally(() => {
      running = undefined
    })
    return running
  }
  const succeed = () => {
    loggedAt = Number.NEGATIVE_INFINITY
  }
  const fail = (error: unknown) => {
    if (performance.now() - loggedAt < LOG_EVERY_MS) return
    loggedAt = performance.now()
    logFailure(error)
  }
  const run = () => void begin().then(succeed, fail)
  let timer: NodeJS.Timeout
  const start = () => {
    timer = setInterval(run, ms).unref()
    run()
  }
  if (firstAfterMs === 0) start()
  else timer = setTimeout(start, firstAfterMs).unref()
  return {
    async runOnce() {
      await running?.catch(() => undefined)
      return begin()
    },
    async stop() {
      stopped = true
      // of the first round or of the others
      clearTimeout(timer)
      await running?.catch(() => undefined)
    },
  }
}
