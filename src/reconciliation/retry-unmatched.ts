import { type BookedService, type BookingContext, bookLines } from './book-lines.ts'
import { addCounts } from './ingest.ts'
import type { Counts } from './match-batch.ts'
import { linesToRetry, toPlacedLine, type UnmatchedRow } from './unmatched-line.store.ts'

const BATCH = 1_000

/**
 * Retries the unmatched lines of a payment service, since their payments may exist by now. Answers the counts
 * of the lines that are booked or whose reason has changed.
 */
export async function retryUnmatched(world: BookingContext, service: BookedService): Promise<Counts> {
  let counts: Counts = {}
  for (let last: UnmatchedRow | undefined; ; ) {
    const rows: UnmatchedRow[] = await linesToRetry(world, service, last, BATCH)
    last = rows.at(-1)
    if (!last) return counts
    const { counts: booked } = await bookLines(world, service, rows.map(toPlacedLine), async () => undefined)
    const { known: _, ...changed } = booked
    counts = addCounts(counts, changed)
  }
}
