import { waitUntilReadable } from '../../src/database/logs/event-log.ts'
import { beforeStatement } from '../before-statement.ts'
import { pay } from './requests.ts'
import type { Story } from './story.ts'

/** A system of the merchant's that reads the event feed as docs/webhooks.md and docs/operations/restore.md say. */
export interface FeedReader {
  name: string
  /** Where it goes on from; undefined: with the first event. */
  after: string | undefined
  /** What was in the log when it began with `now`: it need not be shown these. */
  before: ReadonlySet<string>
  /** In the order in which it was shown them, since it began or was last told that its place is gone. */
  shown: string[]
  /** Everything that it was ever shown. */
  seen: Set<string>
}

const MAX_PAGES = 1_000

const logOf = async ({ stage, merchant }: Story): Promise<string[]> =>
  (
    await stage.railyard.world.run<{ id: string }>('select id from events where merchant_account_id = $1 order by position, sequence, id', [
      merchant.account,
    ])
  ).map(({ id }) => id)

/** Reads one page. Answers whether there was anything on it, or the reader was sent back. */
async function readPage({ merchant, coverage }: Story, reader: FeedReader, limit: number): Promise<boolean> {
  const { status, body } = await merchant.get(`/events?limit=${limit}${reader.after === undefined ? '' : `&after=${reader.after}`}`)
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

/** A payment is made, and committed, before the n-th statement about events that a request makes; after the request, where it makes fewer. */
async function besidePayment(timeline: Story, statement: number, request: () => Promise<unknown>): Promise<string> {
  const { world } = timeline.stage.railyard
  let paid = ''
  const payNow = async () => {
    paid = await pay(timeline)
    await waitUntilReadable(world)
  }
  await beforeStatement(world, statement, payNow, request)
  return paid
}

/** A reader begins, mostly while a payment is being committed: on an empty log, too, since a story begins with this at times. */
export async function beginReading(timeline: Story): Promise<string> {
  const { chance, coverage, readers } = timeline
  const isNow = chance.odds(0.35)
  const limit = chance.between(1, 50)
  const statement = chance.odds(0.7) ? chance.between(1, 4) : 0
  const reader: FeedReader = { name: `r${readers.length + 1}`, after: isNow ? 'now' : undefined, before: new Set(), shown: [], seen: new Set() }
  const first = () => readPage(timeline, reader, limit)
  const beside = statement > 0 ? await besidePayment(timeline, statement, first) : await first().then(() => 'nothing')
  // what is committed while it asks for `now` it may be shown or not
  if (isNow) reader.before = new Set(await logOf(timeline))
  readers.push(reader)
  coverage.hit(`reader: begins with ${isNow ? 'now' : 'the first event'}`)
  return `${reader.name} begins to read ${isNow ? 'now' : 'from the first event'}; beside it, before statement ${statement}: ${beside}`
}

/** Each reader goes on a little. */
export async function continueReading(timeline: Story): Promise<string> {
  const { chance, readers } = timeline
  for (const reader of readers) {
    const [pages, limit] = [chance.between(0, 3), chance.between(1, 20)]
    for (let page = 0; page < pages; page++) await readPage(timeline, reader, limit)
  }
  return `${readers.length} readers go on`
}

/** Every reader reads to the end, and has then been shown the log as it is: without a gap, in its order, nothing else. Answers what differs. */
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
    if (from < 0 || log.slice(from).join() !== shown.join()) found.push(`${name} was shown events ${numbered(shown)} of ${log.length}`)
    const missed = log.filter((id) => !before.has(id) && !seen.has(id))
    if (missed.length > 0) found.push(`${name} was never shown events ${numbered(missed)} of ${log.length}`)
  }
  return found
}
