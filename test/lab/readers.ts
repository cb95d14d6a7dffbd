import { waitUntilReadable } from '../../src/database/logs/event-log.ts'
import { beforeStatement } from '../before-statement.ts'
import { pay } from './requests.ts'
import type { Story } from './story.ts'

/** A system that reads the event feed as docs/guides/webhooks.md and docs/operations/restore.md describe. */
export interface FeedReader {
  name: string
  /** The cursor; undefined: the first event. */
  after: string | undefined
  /** The events in the log when it began with `now`, which it need not get. */
  before: ReadonlySet<string>
  /** The events that it got, in order, since it began or its cursor was last refused. */
  shown: string[]
  /** All events that it ever got. */
  seen: Set<string>
}

const MAX_PAGES = 1_000

const logOf = async ({ stage, merchant }: Story): Promise<string[]> =>
  (
    await stage.railyard.world.run<{ id: string }>(
      'select id from events where merchant_account_id = $1 order by position, sequence, id',
      [merchant.account],
    )
  ).map(({ id }) => id)

/** Reads one page. Returns whether it had events or the cursor was refused. */
async function readPage({ merchant, coverage }: Story, reader: FeedReader, limit: number): Promise<boolean> {
  const { status, body } = await merchant.get(
    `/events?limit=${limit}${reader.after === undefined ? '' : `&after=${reader.after}`}`,
  )
  if (status === 410) {
    coverage.hit('reader: sent back after a restore')
    reader.after = body.next_cursor
    reader.shown = []
    return true
  }
  if (status !== 200) throw new Error(`the feed answered ${status} ${JSON.stringify(body)}`)
  reader.after = body.next_cursor
  for (const { id } of body.items) {
    reader.shown.push(id)
    reader.seen.add(id)
  }
  return body.items.length > 0
}

/**
 * Commits a payment before the n-th statement about events that a request makes; after the request if it
 * makes fewer.
 */
async function besidePayment(
  timeline: Story,
  statement: number,
  request: () => Promise<unknown>,
): Promise<string> {
  const { world } = timeline.stage.railyard
  let paid = ''
  const payNow = async () => {
    paid = await pay(timeline)
    await waitUntilReadable(world)
  }
  await beforeStatement(world, statement, payNow, request)
  return paid
}

/** Starts a reader, mostly while a payment is being committed; sometimes on an empty log. */
export async function beginReading(timeline: Story): Promise<string> {
  const { chance, coverage, readers } = timeline
  const isNow = chance.odds(0.35)
  const limit = chance.between(1, 50)
  const statement = chance.odds(0.7) ? chance.between(1, 4) : 0
  const reader: FeedReader = {
    name: `r${readers.length + 1}`,
    after: isNow ? 'now' : undefined,
    before: new Set(),
    shown: [],
    seen: new Set(),
  }
  const first = () => readPage(timeline, reader, limit)
  const beside =
    statement > 0 ? await besidePayment(timeline, statement, first) : await first().then(() => 'nothing')
  // events committed during the request for `now` may or may not be in the feed
  if (isNow) reader.before = new Set(await logOf(timeline))
  readers.push(reader)
  coverage.hit(`reader: begins with ${isNow ? 'now' : 'the first event'}`)
  return `${reader.name} begins to read ${isNow ? 'now' : 'from the first event'}; beside it, before statement ${statement}: ${beside}`
}

/** Lets each reader read a little. */
export async function continueReading(timeline: Story): Promise<string> {
  const { chance, readers } = timeline
  for (const reader of readers) {
    const [pages, limit] = [chance.between(0, 3), chance.between(1, 20)]
    for (let page = 0; page < pages; page++) await readPage(timeline, reader, limit)
  }
  return `${readers.length} readers go on`
}

/**
 * Lets every reader read to the end and compares its events with the log: complete, in order, no others.
 * Returns the differences.
 */
export async function readerFindings(timeline: Story): Promise<string[]> {
  await waitUntilReadable(timeline.stage.railyard.world)
  const log = await logOf(timeline)
  const found: string[] = []
  for (const reader of timeline.readers) {
    let pages = 0
    while ((await readPage(timeline, reader, 100)) && pages < MAX_PAGES) pages += 1
    const { name, shown, seen, before } = reader
    const from = shown[0] === undefined ? log.length : log.indexOf(shown[0])
    const numbered = (ids: string[]) => ids.map((id) => log.indexOf(id) + 1).join(' ')
    if (from < 0 || log.slice(from).join() !== shown.join())
      found.push(`${name} was shown events ${numbered(shown)} of ${log.length}`)
    const missed = log.filter((id) => !before.has(id) && !seen.has(id))
    if (missed.length > 0) found.push(`${name} was never shown events ${numbered(missed)} of ${log.length}`)
  }
  return found
}
