import pg from 'pg'

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
 * Tells every process that rows of a topic changed. `reliable` is false while this process may be missing the news; whoever keeps
 * copies then reads the database instead, so that a revoked key stops working at once everywhere.
 */
export interface Changes {
  announce(topic: Topic): Promise<void>
  subscribe(heard: (topic: Topic) => void): void
  readonly reliable: boolean
  close(): Promise<void>
}

/** The embedded database has one process: what it announces, it hears. */
export function localChanges(): Changes {
  const subscribers: ((topic: Topic) => void)[] = []
  return {
    announce: async (topic) => {
      for (const heard of subscribers) heard(topic)
    },
    subscribe: (heard) => subscribers.push(heard),
    reliable: true,
    close: async () => undefined,
  }
}

const CHANNEL = 'railyard_changes'

/** Hears the other processes through LISTEN on a connection of its own, and connects again whenever it breaks. */
export async function listen(connectionString: string, pool: pg.Pool): Promise<Changes> {
  const subscribers: ((topic: Topic) => void)[] = []
  let reliable = false
  let closed = false
  let client: pg.Client | undefined
  let retry: NodeJS.Timeout | undefined

  const tell = (topic: Topic) => {
    for (const heard of subscribers) heard(topic)
  }
  const lost = () => {
    if (!reliable && retry) return
    reliable = false
    if (!closed) retry = setTimeout(connect, 500).unref()
  }
  async function connect() {
    retry = undefined
    const fresh = new pg.Client({ connectionString, keepAlive: true, connectionTimeoutMillis: 3_000 })
    client = fresh
    fresh.on('error', lost)
    fresh.on('end', lost)
    fresh.on('notification', ({ payload }) => {
      const topic = TOPICS.find((known) => known === payload)
      if (topic) tell(topic)
    })
    try {
      await fresh.connect()
      await fresh.query(`listen ${CHANNEL}`)
      // what was announced while nobody listened is not known: forget every copy
      TOPICS.forEach(tell)
      reliable = true
    } catch {
      lost()
    }
  }

  await connect()
  return {
    announce: async (topic) => {
      tell(topic)
      await pool.query('select pg_notify($1, $2)', [CHANNEL, topic])
    },
    subscribe: (heard) => subscribers.push(heard),
    get reliable() {
      return reliable
    },
    close: async () => {
      closed = true
      clearTimeout(retry)
      await client?.end().catch(() => undefined)
    },
  }
}
