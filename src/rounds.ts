/** Work that comes due by itself, taken up every so often. */
export interface Rounds {
  /** Takes up everything that is due now and waits for it; answers how much that was. Where a round is under way, another follows it. */
  runOnce(): Promise<number>
  /** Stops taking up new work and waits for what is under way. */
  stop(): Promise<void>
}

/** Makes a round every `ms` milliseconds, never two at once. `round` takes up nothing new once `stopped` answers true. */
export function makeRounds(ms: number, round: (stopped: () => boolean) => Promise<number>, failed: (error: unknown) => void): Rounds {
  let running: Promise<number> | undefined
  let stopped = false
  const begin = () => {
    running ??= round(() => stopped).finally(() => {
      running = undefined
    })
    return running
  }
  const timer = setInterval(() => void begin().catch(failed), ms).unref()
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
