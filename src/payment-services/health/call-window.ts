/** The calls to a payment service that began within the same ten seconds. */
export interface CallBucket {
  /** Milliseconds since 1970, a multiple of ten seconds. */
  startsAt: number
  calls: number
  failed: number
  slow: number
  totalMs: number
  /** How many calls fell into each of `latencyClasses`; the last entry counts the calls above them all. */
  latencies: number[]
}

export const BUCKET_MS = 10_000
/** The current bucket and the five before it. */
export const WINDOW_MS = 60_000
/**
 * How many rows a payment service has: more than the window needs, so that the oldest row is outside of it
 * when it is used again.
 */
export const SLOTS = 8

/** Upper ends of the classes in which latencies are counted, in milliseconds. */
export const latencyClasses = [
  5, 10, 20, 35, 50, 75, 100, 150, 200, 300, 500, 750, 1_000, 1_500, 2_000, 3_000, 5_000, 7_500, 10_000,
  15_000, 30_000,
]

export const bucketStart = (time: number): number => time - (time % BUCKET_MS)

export const emptyBucket = (startsAt: number): CallBucket => ({
  startsAt,
  calls: 0,
  failed: 0,
  slow: 0,
  totalMs: 0,
  latencies: new Array<number>(latencyClasses.length + 1).fill(0),
})

export function addCall(bucket: CallBucket, ms: number, failed: boolean, slow: boolean): void {
  const found = latencyClasses.findIndex((end) => ms <= end)
  const index = found < 0 ? latencyClasses.length : found
  bucket.calls += 1
  if (failed) bucket.failed += 1
  if (slow) bucket.slow += 1
  bucket.totalMs += ms
  bucket.latencies[index] = (bucket.latencies[index] ?? 0) + 1
}

/**
 * The sum of several buckets over the window that ends at `now`. Buckets that began before `since` are left
 * out.
 */
export function windowOf(
  buckets: readonly CallBucket[],
  now: number,
  since = Number.NEGATIVE_INFINITY,
): CallBucket {
  const from = Math.max(now - WINDOW_MS + 1, since)
  const sum = emptyBucket(now - WINDOW_MS)
  for (const bucket of buckets) {
    if (bucket.startsAt < from) continue
    sum.calls += bucket.calls
    sum.failed += bucket.failed
    sum.slow += bucket.slow
    sum.totalMs += bucket.totalMs
    sum.latencies = sum.latencies.map((count, index) => count + (bucket.latencies[index] ?? 0))
  }
  return sum
}

/**
 * The latency in milliseconds that this share of the calls did not exceed, as the upper end of its class.
 * Null: no calls, or longer than any class.
 */
export function latencyAt({ calls, latencies }: CallBucket, share: number): number | null {
  let left = Math.ceil(calls * share)
  if (left === 0) return null
  for (const [index, count] of latencies.entries()) {
    left -= count
    if (left <= 0) return latencyClasses[index] ?? null
  }
  return null
}
