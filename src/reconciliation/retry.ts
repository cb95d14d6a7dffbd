import { type BookedService, bookLines, type Store } from './book-lines.ts'
import { added } from './ingest.ts'
import type { Counts } from './judge-batch.ts'
import { linesToTryAgain, placed, type UnmatchedRow } from './unmatched-line.store.ts'

const BATCH = 1_000

/** Tries the unmatched lines of a payment service again: what they are about may be there by now. Answers what was booked, by kind. */
export async function retryUnmatched(world: Store, service: BookedService): Promise<Counts> {
  let counts: Counts = {}
  for (let last: UnmatchedRow | undefined; ; ) {
    const rows: UnmatchedRow[] = await linesToTryAgain(world, service, last, BATCH)
    last = rows.at(-1)
    if (!last) return counts
    const { counts: booked } = await bookLines(world, service, rows.map(placed), async () => undefined)
    const { known: _, ...news } = booked
    counts = added(counts, news)
  }
}
