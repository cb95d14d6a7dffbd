import type { EventBody } from '@railyard/client'
import { useCallback, useEffect, useRef, useState } from 'react'
import { useSignedIn } from '../../session/signed-in.ts'

/** How many events are shown. */
export const SHOWN = 500
const PAGE = 500
/** How many pages are read before the person decides whether to read on. */
const PAGES = 20
const REFRESH_MS = 5_000

export interface Feed {
  /** The newest ones that match, the newest first. */
  events: readonly EventBody[]
  /** How many were read. */
  count: number
  state: 'reading' | 'paused' | 'live'
  error?: unknown
}

const empty: Feed = { events: [], count: 0, state: 'reading' }

/**
 * The event log from its beginning, and then what happens. The API reads it forward only, so that the newest
 * events are reached by reading all; in a long log that pauses until `readOn`.
 */
export function useEventFeed(matches: (event: EventBody) => boolean): [Feed, readOn: () => void] {
  const { api } = useSignedIn()
  const [feed, setFeed] = useState<Feed>(empty)
  const [reads, setReads] = useState(0)
  const place = useRef<{ matches: typeof matches; after: string | undefined }>(undefined)
  // biome-ignore lint/correctness/useExhaustiveDependencies: each `readOn` reads again, from where it was
  useEffect(() => {
    if (place.current?.matches !== matches) {
      place.current = { matches, after: undefined }
      setFeed(empty)
    }
    const from = place.current
    const stop = new AbortController()
    let timer: ReturnType<typeof setTimeout> | undefined
    const read = async (left: number): Promise<void> => {
      const list = api.events.list({ after: from.after, limit: PAGE }, { signal: stop.signal })
      const { items, next_cursor } = await list.page()
      if (stop.signal.aborted) return
      from.after = next_cursor
      const found = items.filter(matches).reverse()
      const isEnd = items.length < PAGE
      setFeed(({ events, count }) => ({
        events: found.length > 0 ? [...found, ...events].slice(0, SHOWN) : events,
        count: count + items.length,
        state: isEnd ? 'live' : left > 1 ? 'reading' : 'paused',
      }))
      if (isEnd) timer = setTimeout(start, REFRESH_MS)
      else if (left > 1) await read(left - 1)
    }
    const start = () =>
      void read(PAGES).catch((error: unknown) => {
        if (!stop.signal.aborted) setFeed((before) => ({ ...before, state: 'paused', error }))
      })
    start()
    return () => {
      stop.abort()
      clearTimeout(timer)
    }
  }, [api, matches, reads])
  const readOn = useCallback(() => {
    setFeed(({ error, ...before }) => ({ ...before, state: 'reading' }))
    setReads((before) => before + 1)
  }, [])
  return [feed, readOn]
}
