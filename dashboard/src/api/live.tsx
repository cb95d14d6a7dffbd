import { type QueryKey, useQueryClient } from '@tanstack/react-query'
import { createContext, type ReactNode, useContext, useEffect, useState } from 'react'
import { useSignedIn } from '../session/signed-in.ts'
import { backgroundHeader } from './activity.ts'
import { basePath } from './place.ts'

const LiveContext = createContext(false)

/** Which loaded things an event is about: the first parts of their keys, by the type of the event's resource. */
const keysOfTarget: Readonly<Record<string, readonly string[]>> = {
  transaction: ['transactions'],
  capture: ['transactions'],
  refund: ['transactions', 'refunds'],
  dispute: ['disputes', 'transactions'],
  payout: ['payouts'],
  'payment-link': ['payment-links'],
}
/**
 * Counts over many payments: loaded again less often after any of these events, and by time as well, since not
 * all that they count has events.
 */
const countedKeys = ['attention', 'figures']
const toldKeys = new Set(Object.values(keysOfTarget).flat())

/** Whether the server tells when what is loaded under `key` changes, so that it need not be asked repeatedly. */
export const useIsTold = (key: QueryKey): boolean => useContext(LiveContext) && toldKeys.has(String(key[0]))

/** Changes within this time are loaded once: a busy account has hundreds of events a second. */
const GATHER_MS = 2000
const COUNT_MS = 15_000
const RETRY_MS = 15_000
/** In place of a key: events were lost. */
const EVERYTHING = '*'

/**
 * Listens to the account's events, and loads again what they are about. Without a stream, pages ask by
 * themselves.
 */
export function Live({ children }: { children: ReactNode }): ReactNode {
  const { account } = useSignedIn()
  const queries = useQueryClient()
  const [isLive, setLive] = useState(false)
  useEffect(() => {
    const leaving = new AbortController()
    const waiting = new Set<string>()
    let timer: ReturnType<typeof setTimeout> | undefined
    let countTimer: typeof timer
    const load = () => {
      timer = undefined
      for (const key of waiting)
        void queries.invalidateQueries({ queryKey: key === EVERYTHING ? [account] : [account, key] })
      waiting.clear()
    }
    const count = () => {
      countTimer = undefined
      for (const key of countedKeys) void queries.invalidateQueries({ queryKey: [account, key] })
    }
    const changed = (keys: readonly string[]) => {
      if (keys.length === 0) return
      for (const key of keys) waiting.add(key)
      timer ??= setTimeout(load, GATHER_MS)
      countTimer ??= setTimeout(count, COUNT_MS)
    }
    const listen = async () => {
      let lastId = ''
      while (!leaving.signal.aborted) {
        try {
          const response = await fetch(`${basePath}/events/stream`, {
            headers: {
              accept: 'text/event-stream',
              'x-svc-merchant-account-id': account,
              ...backgroundHeader,
              ...(lastId && { 'last-event-id': lastId }),
            },
            signal: leaving.signal,
          })
          if (response.status === 401 || response.status === 403 || response.status === 404) return
          // the id is of another instance or too old
          if (response.status === 400) lastId = ''
          if (!response.ok || !response.body) throw new Error(`${response.status}`)
          setLive(true)
          // what was loaded before the stream began may have changed since, and nothing tells of it
          if (!lastId) changed([...toldKeys])
          for await (const message of messagesOf(response.body)) {
            if (message.id) lastId = message.id
            if (message.event === 'reset') changed([EVERYTHING])
            else if (message.data) changed(keysOf(message.data))
          }
        } catch {
          // asked by pages until the stream is back
        }
        setLive(false)
        await new Promise((resolve) => setTimeout(resolve, RETRY_MS))
      }
    }
    void listen().finally(() => setLive(false))
    return () => {
      leaving.abort()
      clearTimeout(timer)
      clearTimeout(countTimer)
    }
  }, [account, queries])
  return <LiveContext value={isLive}>{children}</LiveContext>
}

function keysOf(data: string): readonly string[] {
  const { target } = JSON.parse(data) as { target?: { type?: string } }
  return keysOfTarget[target?.type ?? ''] ?? []
}

interface Message {
  id?: string
  event?: string
  data?: string
}

/** Reads server-sent events: blocks of `name: value` lines, with an empty line behind each. */
export async function* messagesOf(
  body: ReadableStream<Uint8Array<ArrayBuffer>>,
): AsyncGenerator<Message, void> {
  const reader = body.pipeThrough(new TextDecoderStream()).getReader()
  let text = ''
  for (;;) {
    const { value, done } = await reader.read()
    if (done) return
    text += value
    const blocks = text.split('\n\n')
    text = blocks.pop() ?? ''
    for (const block of blocks) {
      const message: Message = {}
      for (const line of block.split('\n')) {
        const [, name, rest = ''] = /^(id|event|data): ?(.*)$/.exec(line) ?? []
        if (name) message[name as keyof Message] = rest
      }
      if (message.event && message.event !== 'ready') yield message
      else if (message.id) yield { id: message.id }
    }
  }
}
