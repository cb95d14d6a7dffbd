import { setTimeout as wait } from 'node:timers/promises'
import type { Client } from '../crash/client.ts'
import type { FeedEvent } from './oracle.ts'

/** A client that reads `GET /events` while it grows. */
export interface Feed {
  events: FeedEvent[]
  /** Reads what is new, up to the end. */
  readOn(): Promise<void>
}

const PAGE = 1_000

/** From `after` on: a cursor, or `now`. What is not answered is asked again. */
export async function followFeed(client: Client, after: string): Promise<Feed> {
  const events: FeedEvent[] = []
  let cursor = after
  const page = async (): Promise<{ items: FeedEvent[]; next_cursor: string }> => {
    for (;;) {
      const answer = await client
        .get(`/events?limit=${PAGE}&after=${encodeURIComponent(cursor)}`)
        .catch(() => undefined)
      if (answer?.status === 200) return answer.body
      if (answer && answer.status < 500) throw new Error(`the feed was answered ${answer.text}`)
      await wait(50)
    }
  }
  const readPage = async () => {
    const { items, next_cursor } = await page()
    events.push(...items)
    cursor = next_cursor
    return items.length
  }
  await readPage()
  return {
    events,
    async readOn() {
      while ((await readPage()) === PAGE);
    },
  }
}

/** The same from its beginning to its end, at once. */
export async function readFeed(client: Client, after: string): Promise<FeedEvent[]> {
  const feed = await followFeed(client, after)
  await feed.readOn()
  return feed.events
}
