/** What a piece of work took. */
export interface Watched<T> {
  result: T
  seconds: number
  /** Memory of this process at its peak, beyond what it had before, in megabytes. */
  grownMb: number
  /** The longest time for which nothing else could run in this process, in milliseconds. */
  heldMs: number
}

const EVERY_MS = 10
const MIB = 1024 * 1024

/** Runs work of this process. Node's `--expose-gc` makes `grownMb` exact. */
export async function watched<T>(work: () => Promise<T>): Promise<Watched<T>> {
  globalThis.gc?.()
  const before = process.memoryUsage.rss()
  let peak = before
  let last = performance.now()
  let heldMs = 0
  const timer = setInterval(() => {
    peak = Math.max(peak, process.memoryUsage.rss())
    heldMs = Math.max(heldMs, performance.now() - last - EVERY_MS)
    last = performance.now()
  }, EVERY_MS)
  const began = performance.now()
  const result = await work().finally(() => clearInterval(timer))
  return { result, seconds: (performance.now() - began) / 1_000, grownMb: (peak - before) / MIB, heldMs }
}
