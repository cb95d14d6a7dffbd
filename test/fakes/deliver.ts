import type { NotificationForCall } from '../../src/connectors/contract/connector.ts'

const ATTEMPTS = 5
const PAUSE_MS = 1_000
const TIMEOUT_MS = 10_000
/** Older notifications are lost when more than these wait. */
const MAX_WAITING = 1_000

export const isLoopback = (url: string): boolean => {
  const { protocol, hostname } = URL.parse(url) ?? {}
  return (
    (protocol === 'http:' || protocol === 'https:') &&
    (hostname === 'localhost' || hostname === '[::1]' || /^127(?:\.\d{1,3}){3}$/.test(hostname ?? ''))
  )
}

interface Waiting {
  url: string
  notification: NotificationForCall
  attempts: number
}

/** Sends notifications in their order, one at a time, to addresses of this machine only. */
export function createDelivery(print: (line: string) => void) {
  const waiting: Waiting[] = []
  const stopped = new AbortController()
  let isSending = false

  async function send({ url, notification: { headers, text } }: Waiting): Promise<string> {
    const given = Object.entries(headers).flatMap(([name, value]) =>
      value === undefined ? [] : [[name, String(value)] as [string, string]],
    )
    try {
      const answer = await fetch(url, {
        method: 'POST',
        redirect: 'manual',
        headers: { 'content-type': 'application/json', ...Object.fromEntries(given) },
        body: text,
        signal: AbortSignal.any([stopped.signal, AbortSignal.timeout(TIMEOUT_MS)]),
      })
      await answer.body?.cancel()
      return answer.ok ? '' : `HTTP ${answer.status}`
    } catch {
      return 'no answer'
    }
  }

  async function sendAll(): Promise<void> {
    if (isSending) return
    isSending = true
    for (let first = waiting[0]; first && !stopped.signal.aborted; first = waiting[0]) {
      const problem = await send(first)
      first.attempts += 1
      if (problem !== '' && first.attempts < ATTEMPTS) {
        await new Promise((resolve) => setTimeout(resolve, PAUSE_MS).unref())
        continue
      }
      print(`notification to ${new URL(first.url).pathname}: ${problem || 'accepted'}`)
      waiting.shift()
    }
    isSending = false
  }

  return {
    add(url: string, notifications: readonly NotificationForCall[]): void {
      waiting.push(...notifications.map((notification) => ({ url, notification, attempts: 0 })))
      waiting.splice(0, waiting.length - MAX_WAITING)
      void sendAll()
    },
    stop: () => stopped.abort(),
  }
}
