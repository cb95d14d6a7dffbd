/** Does `work` now and then every `ms` milliseconds, one after the other; it must not throw. The answer stops it, and waits for what is under way. */
export function runPeriodically(ms: number, work: () => Promise<void>): () => Promise<void> {
  let stopped = false
  let timer: NodeJS.Timeout | undefined
  let running = Promise.resolve()
  const run = () => {
    running = work().then(() => {
      if (!stopped) timer = setTimeout(run, ms).unref()
    })
  }
  run()
  return async () => {
    stopped = true
    clearTimeout(timer)
    await running
  }
}
