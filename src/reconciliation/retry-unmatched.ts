import { type BookedService, type BookingContext, bookLines } from './book-lines.ts'
import { addCounts } from './ingest.ts'
import type { Counts } from './match-batch.ts'
import { linesToRetry, toPlacedLine, type UnmatchedRow } from './unmatched-line.store.ts'

const BATCH = 1_000

/** Tries the unmatched lines of a payment service again: what they are about may be there by now. Answers what was booked, by kind. */
export async function retryUnmatched(world: BookingContext, service: BookedService): Promise<Counts> {
  let counts: Counts = {}
  for (let last: UnmatchedRow | undefined; ; ) {
    const rows: UnmatchedRow[] = await linesToRetry(world, service, last, BATCH)
    last = rows.at(-1)
    if (!last) return counts
    const { counts: booked } = await bookLines(world, service, rows.map(toPlacedLine), async () => undefined)
    const { known: _, ...news } = booked
    counts = addCounts(counts, news)
  }
}
