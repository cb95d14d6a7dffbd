import { setImmediate as turn, setTimeout as wait } from 'node:timers/promises'
import pg from 'pg'
import type { DatabaseAvailability } from './postgres/availability.ts'
import { SELECT_TIME, type ServerTime } from './postgres/server-time.ts'

const TOPICS = [
  'merchant_accounts',
  'payment_services',
  'payment_service_health',
  'gift_card_services',
  'anti_fraud_services',
  'api_key_pairs',
  'users',
  'webhook_subscriptions',
  'bins',
  'three_d_secure',
  'flow_rules',
] as const

/** What caches hold copies of. */
export type Topic = (typeof TOPICS)[number]

/**
 * Every process hears that rows of a topic changed: the commit that changes them announces it (migration 039). `reliable` is false while this process may be
 * missing the news; whoever keeps copies then reads the database instead, so that a revoked key stops working at once everywhere.
 */
export interface Changes {
  /** What this process has just changed it need not wait to hear of. */
  invalidate(topic: Topic): void
  subscribe(heard: (topic: Topic) => void): void
  readonly isReliable: boolean
  close(): Promise<void>
}

/** The embedded database has one process, which nobody else has to tell of anything. */
export function localChanges(): Changes {
  const subscribers: ((topic: Topic) => void)[] = []
  return {
    invalidate: (topic) => {
      for (const heard of subscribers) heard(topic)
    },
    subscribe: (heard) => subscribers.push(heard),
    isReliable: true,
    close: async () => undefined,
  }
}

/** As `announce_change` in the database calls it. */
const CHANNEL = 'railyard_changes'

/** How often the listener asks whether somebody is there: silence on a connection tells nothing. */
const HEARTBEAT_MS = 500
/** How often it looks for an answer, to it or to anybody; how many times in vain until nobody is there, and how many times at most. */
const SAMPLE_MS = 250
const SILENT_SAMPLES = 6
const MAX_SAMPLES = 12
/** A first packet that is lost is sent again after a second: a new connection is sooner. */
const CONNECT_MS = 1_000

/**
 * Hears the other processes through LISTEN on a connection of its own, and connects again whenever it breaks. It is also the pulse of the database: where
 * nobody answers it, `presence` is told; and `time` hears the server's time with each beat.
 */
export async function listen(connectionString: string, pool: pg.Pool, presence: DatabaseAvailability, time: ServerTime): Promise<Changes> {
  const subscribers: ((topic: Topic) => void)[] = []
  let reliable = false
  let closed = false
  let client: pg.Client | undefined
  let retry: NodeJS.Timeout | undefined

  const tell = (topic: Topic) => {
    for (const heard of subscribers) heard(topic)
  }
  const lost = (lostClient: pg.Client) => {
    if (client !== lostClient || retry) return
    reliable = false
    if (!closed) retry = setTimeout(connect, HEARTBEAT_MS).unref()
  }
  async function connect() {
    retry = undefined
    const fresh = new pg.Client({
      connectionString,
      application_name: 'railyard listener',
      connectionTimeoutMillis: CONNECT_MS,
      stream: presence.listenerSocket,
    })
    client = fresh
    fresh.on('error', () => lost(fresh))
    fresh.on('end', () => lost(fresh))
    fresh.on('notification', ({ payload }) => {
      const topic = TOPICS.find((known) => known === payload)
      if (topic) tell(topic)
    })
    try {
      await fresh.connect()
      await waitForAnswer(fresh.query(`listen ${CHANNEL}`), presence)
      // what was announced while nobody listened is not known: forget every copy
      TOPICS.forEach(tell)
      reliable = true
      presence.markAvailable()
      void feelPulse(fresh)
    } catch {
      // where there is no room for another connection, those that are there may still be answered
      if (!presence.isUnavailable && !closed && !(await answersPool())) presence.markUnavailable()
      lost(fresh)
    }
  }
  const answersPool = () =>
    waitForAnswer(pool.query('select 1'), presence).then(
      () => true,
      () => false,
    )
  async function feelPulse(fresh: pg.Client) {
    try {
      while (client === fresh && reliable) {
        await wait(HEARTBEAT_MS, undefined, { ref: false })
        const asked = performance.now()
        const beat = fresh.query<{ now: number }>(SELECT_TIME)
        await waitForAnswer(beat, presence)
        const { rows } = await beat
        if (rows[0]) time.adjust({ server: rows[0].now, asked, answered: performance.now() })
      }
    } catch (error) {
      if (error instanceof NoAnswer && !closed) presence.markUnavailable()
      lost(fresh)
      // with a query under way it ends at once
      void fresh.end().catch(() => undefined)
    }
  }

  await connect()
  return {
    invalidate: tell,
    subscribe: (heard) => subscribers.push(heard),
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

class NoAnswer extends Error {}

/**
 * Throws `NoAnswer` where nobody is answered for a while, and something else where others are and this query is not. Time is counted in samples, each of which
 * reads what has come: a process that was busy or stopped itself does not take its own silence for the database's.
 */
async function waitForAnswer(query: Promise<unknown>, { receivedBytes }: DatabaseAvailability): Promise<void> {
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
