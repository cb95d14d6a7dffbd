import pg from 'pg'
import { errorText } from './error-text.ts'
import { hostUrls } from './hosts.ts'
import { urlConfig } from './url-config.ts'

/** The host that takes writes. */
export interface Primary {
  /** The URL for new connections. */
  readonly url: string
  /** Looks for it among several hosts. True: it is another one now. Throws `NoPrimary`. */
  find(): Promise<boolean>
}

/** No host of `DATABASE_URL` takes writes; the message says why for each. */
export class NoPrimary extends Error {}

/** `DATABASE_URL` with one host: whatever it leads to is the primary. */
export async function followPrimary(databaseUrl: string): Promise<Primary> {
  const urls = hostUrls(databaseUrl)
  let url = await findPrimary(urls)
  return {
    get url() {
      return url
    },
    async find() {
      const before = url
      url = await findPrimary(urls)
      return url !== before
    },
  }
}

/** A frozen host accepts a connection and does not answer. */
const ANSWER_WITHIN_MS = 1_000

/**
 * A primary that was frozen or cut off while a standby was promoted still takes itself for the primary when it
 * is back. Its commits wait for its standbys and never return, but what it shows is old: the timeline of the
 * promoted one is higher.
 */
const selectTimeline = `
select case
         when pg_is_in_recovery() or current_setting('default_transaction_read_only')::boolean then null
         else ('x' || substr(pg_walfile_name(pg_current_wal_lsn()), 1, 8))::bit(32)::int
       end as timeline`

/** The URL of the host that takes writes. With one host, nothing is asked. Throws `NoPrimary`. */
export async function findPrimary(urls: readonly string[]): Promise<string> {
  const [only = ''] = urls
  if (urls.length === 1) return only
  const answers = await Promise.all(urls.map(askTimeline))
  const [newest] = answers
    .flatMap(({ url, timeline }) => (typeof timeline === 'number' ? [{ url, timeline }] : []))
    .sort((one, other) => other.timeline - one.timeline)
  if (newest) return newest.url
  const reasons = answers.map(({ url, timeline }) => `${new URL(url).host}: ${timeline}`)
  throw new NoPrimary(`no host takes writes (${reasons.join('; ')})`)
}

/** The timeline of a host that takes writes, or why it does not. */
async function askTimeline(connectionString: string): Promise<{ url: string; timeline: number | string }> {
  const client = new pg.Client({
    ...urlConfig(connectionString),
    connectionTimeoutMillis: ANSWER_WITHIN_MS,
    query_timeout: ANSWER_WITHIN_MS,
  })
  client.on('error', () => undefined)
  try {
    await client.connect()
    const { rows } = await client.query<{ timeline: number | null }>(selectTimeline)
    return { url: connectionString, timeline: rows[0]?.timeline ?? 'read-only' }
  } catch (error) {
    return { url: connectionString, timeline: errorText(error) }
  } finally {
    // not awaited: a frozen host does not close the connection
    void client.end().catch(() => undefined)
  }
}
