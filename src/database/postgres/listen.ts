import { setImmediate as turn, setTimeout as wait } from 'node:timers/promises'
import pg from 'pg'
import { type Changes, TOPICS, type Topic } from '../changes.ts'
import { STATEMENT_TIMEOUT_MS } from '../timeouts.ts'
import type { DatabaseAvailability } from './availability.ts'
import { prepareSession, ReadOnlyDatabase } from './prepare-session.ts'
import type { Primary } from './primary.ts'
import { SERVER_NOW, type ServerTime } from './server-time.ts'
import { followStuckCommits, WAITING_COMMITS } from './stuck-commits.ts'
import { urlConfig } from './url-config.ts'

/** The channel to which the function `announce_change` in the database writes. */
const CHANNEL = 'railyard_changes'

/**
 * How often the listener sends a query: silence on a connection does not show whether the database answers.
 */
const HEARTBEAT_MS = 500
/**
 * How often it looks for bytes from the database on any connection, after how many samples without any the
 * database is unavailable, and the maximum number of samples.
 */
const SAMPLE_MS = 250
const SILENT_SAMPLES = 6
const MAX_SAMPLES = 12
/** A lost first packet is sent again after a second; another connection is faster. */
const CONNECT_MS = 1_000

/**
 * Receives announcements through LISTEN on a connection of its own, and connects again when that breaks. It
 * also sends a heartbeat: if the database does not answer it, or commits wait for a standby that does not
 * answer, `availability` becomes unavailable. Each answer adjusts `time`.
 */
export async function listen(
  primary: Primary,
  pool: pg.Pool,
  availability: DatabaseAvailability,
  time: ServerTime,
): Promise<Changes> {
  const subscribers: ((topic: Topic) => void)[] = []
  const stuck = followStuckCommits()
  const prepare = prepareSession(STATEMENT_TIMEOUT_MS)
  let reliable = false
  let closed = false
  let client: pg.Client | undefined
  let retry: NodeJS.Timeout | undefined

  const notify = (topic: Topic) => {
    for (const listener of subscribers) listener(topic)
  }
  const connectLater = () => {
    reliable = false
    if (!closed) retry ??= setTimeout(connect, HEARTBEAT_MS).unref()
  }
  const lost = (lostClient: pg.Client) => {
    if (client === lostClient) connectLater()
  }
  /** Closes the connection, too: a server that takes no writes for an hour would have thousands of them. */
  const giveUp = (failed: pg.Client) => {
    lost(failed)
    // ends at once where a query is running, and otherwise says goodbye to a server that answers
    void failed.end().catch(() => undefined)
  }
  async function connect() {
    retry = undefined
    try {
      if (await primary.find()) availability.closeConnections()
    } catch {
      if (!closed) availability.markUnavailable()
      connectLater()
    }
    if (closed || retry) return
    const fresh = new pg.Client({
      application_name: 'railyard listener',
      connectionTimeoutMillis: CONNECT_MS,
      stream: availability.listenerSocket,
      ...urlConfig(primary.url),
    })
    client = fresh
    fresh.on('error', () => lost(fresh))
    fresh.on('end', () => lost(fresh))
    fresh.on('notification', ({ payload }) => {
      const topic = TOPICS.find((each) => each === payload)
      if (topic) notify(topic)
    })
    try {
      await fresh.connect()
      await waitForAnswer(prepare(fresh), availability)
      await waitForAnswer(fresh.query(`listen ${CHANNEL}`), availability)
      if (stuck.see((await readHeartbeat(fresh)).waitingCommits)) throw new NoAnswer()
      // announcements may have been missed: invalidate every copy
      TOPICS.forEach(notify)
      reliable = true
      availability.markAvailable()
      void sendHeartbeats(fresh)
    } catch (error) {
      // the server may have no free connection, and still answer on the existing ones
      const isUsable = async () =>
        !(error instanceof ReadOnlyDatabase || error instanceof NoAnswer) && (await isPoolAnswered())
      if (!availability.isUnavailable && !closed && !(await isUsable())) availability.markUnavailable()
      giveUp(fresh)
    }
  }
  const isPoolAnswered = () =>
    waitForAnswer(pool.query('select 1'), availability).then(
      () => true,
      () => false,
    )
  async function readHeartbeat(fresh: pg.Client): Promise<Heartbeat & { asked: number; answered: number }> {
    const asked = performance.now()
    const beat = fresh.query<Heartbeat>(SELECT_HEARTBEAT)
    await waitForAnswer(beat, availability)
    const { rows } = await beat
    const answered = performance.now()
    if (!rows[0]) throw new NoAnswer()
    return { ...rows[0], asked, answered }
  }
  async function sendHeartbeats(fresh: pg.Client) {
    try {
      while (client === fresh && reliable) {
        await wait(HEARTBEAT_MS, undefined, { ref: false })
        const { now, waitingCommits, asked, answered } = await readHeartbeat(fresh)
        time.adjust({ server: now, asked, answered })
        if (stuck.see(waitingCommits)) throw new NoAnswer()
      }
    } catch (error) {
      if (error instanceof NoAnswer && !closed) availability.markUnavailable()
      giveUp(fresh)
    }
  }

  await connect()
  return {
    invalidate: notify,
    subscribe: (listener) => subscribers.push(listener),
    get isReliable() {
      return reliable
    },
    close: async () => {
      closed = true
      clearTimeout(retry)
      await client?.end().catch(() => undefined)
    },
  }
}

const SELECT_HEARTBEAT = `select ${SERVER_NOW}, ${WAITING_COMMITS}`

interface Heartbeat {
  now: number
  waitingCommits: string[]
}

/** The database does not answer, or not to commits. */
class NoAnswer extends Error {}

/**
 * Throws `NoAnswer` if no connection gets a byte for a while, and another error if other connections do and
 * this query is not answered. Time is counted in samples, each of which reads what has arrived: a process
 * that was busy or paused does not mistake its own silence for the database's.
 */
async function waitForAnswer(
  query: Promise<unknown>,
  { receivedBytes }: DatabaseAvailability,
): Promise<void> {
  let isAnswered = false
  const answer = query.then(() => {
    isAnswered = true
  })
  answer.catch(() => undefined)
  let before = receivedBytes()
  let silent = 0
  for (let sample = 0; sample < MAX_SAMPLES; sample++) {
    await Promise.race([answer, wait(SAMPLE_MS, undefined, { ref: false })])
    if (!isAnswered) await Promise.race([answer, turn().then(turn)])
    if (isAnswered) return
    const now = receivedBytes()
    silent = now === before ? silent + 1 : 0
    before = now
    if (silent === SILENT_SAMPLES) throw new NoAnswer()
  }
  throw new Error('the listener alone is not answered')
}
