/** Work that comes due by itself, taken up every so often. */
export interface Rounds {
  /** Takes up everything that is due now and waits for it; answers how much that was. */
  runOnce(): Promise<number>
  /** Stops taking up new work and waits for what is under way. */
  stop(): Promise<void>
}

/** Makes a round every `ms` milliseconds, never two at once: who asks during one waits for it. `round` takes up nothing new once `stopped` answers true. */
export function makeRounds(ms: number, round: (stopped: () => boolean) => Promise<number>, failed: (error: unknown) => void): Rounds {
  let running: Promise<number> | undefined
  let stopped = false
  const runOnce = () => {
    running ??= round(() => stopped).finally(() => {
      running = undefined
    })
    return running
  }
  const timer = setInterval(() => void runOnce().catch(failed), ms).unref()
  return {
    runOnce,
    async stop() {
      stopped = true
      clearInterval(timer)
      await running?.catch(() => undefined)
    },
  }
}
