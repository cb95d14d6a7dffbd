/** Work that comes due by itself, taken up every so often. */
export interface PeriodicTask {
  /** Takes up everything that is due now and waits for it; answers how much that was. Where a round is under way, another follows it. */
  runOnce(): Promise<number>
  /** Stops taking up new work and waits for what is under way. */
  stop(): Promise<void>
}

/** While rounds fail one after the other, as while the database is away, they say so this often: a line for each job and second would drown the others. */
const LOG_EVERY_MS = 60_000

/**
 * Makes a round every `ms` milliseconds, never two at once. `round` takes up nothing new once `stopped` answers true. `failed` is told of a round that fails after one that did
 * not, and then every minute.
 */
export function startPeriodicTask(ms: number, round: (stopped: () => boolean) => Promise<number>, failed: (error: unknown) => void): PeriodicTask {
  let running: Promise<number> | undefined
  let stopped = false
  const begin = () => {
    running ??= round(() => stopped).finally(() => {
      running = undefined
    })
    return running
  }
  let toldAt = Number.NEGATIVE_INFINITY
  const ended = () => {
    toldAt = Number.NEGATIVE_INFINITY
  }
  const tell = (error: unknown) => {
    if (performance.now() - toldAt < LOG_EVERY_MS) return
    toldAt = performance.now()
    failed(error)
  }
  const timer = setInterval(() => void begin().then(ended, tell), ms).unref()
  return {
    async runOnce() {
      // one that is under way may have looked before there was something
      await running?.catch(() => undefined)
      return begin()
    },
    async stop() {
      stopped = true
      clearInterval(timer)
      await running?.catch(() => undefined)
    },
  }
}
