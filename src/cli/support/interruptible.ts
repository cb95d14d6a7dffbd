/** Runs `work`; Ctrl-C and SIGTERM abort `stop`, on which the work must end by itself. */
export async function interruptible<T>(stop: AbortController, work: () => Promise<T>): Promise<T> {
  const interrupt = () => stop.abort()
  process.once('SIGINT', interrupt).once('SIGTERM', interrupt)
  try {
    return await work()
  } finally {
    process.off('SIGINT', interrupt).off('SIGTERM', interrupt)
  }
}
