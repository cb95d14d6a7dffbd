/** Does work that Ctrl-C or SIGTERM stops: they abort `stop`, and the work ends by itself. */
export async function interruptible<T>(stop: AbortController, work: () => Promise<T>): Promise<T> {
  const interrupt = () => stop.abort()
  process.once('SIGINT', interrupt).once('SIGTERM', interrupt)
  try {
    return await work()
  } finally {
    process.off('SIGINT', interrupt).off('SIGTERM', interrupt)
  }
}
