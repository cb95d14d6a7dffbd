import { setTimeout as pause } from 'node:timers/promises'
import { request } from 'undici'
import type { NotificationMessage } from './provider-messages.ts'

const tries = 3
const timeoutMs = 2_000
const pauseMs = 250

/** Posts a notification that an operation became final. It may get lost: the caller must not depend on it. */
export async function postNotification(
  url: string,
  message: NotificationMessage,
  ending: AbortSignal,
): Promise<void> {
  for (let attempt = 1; attempt <= tries && !ending.aborted; attempt += 1) {
    if (await tryPost(url, message, ending)) return
    await pause(pauseMs, undefined, { signal: ending, ref: false }).catch(() => undefined)
  }
}

async function tryPost(
  url: string,
  { headers, body }: NotificationMessage,
  ending: AbortSignal,
): Promise<boolean> {
  try {
    const answer = await request(url, {
      method: 'POST',
      headers: { 'content-type': 'application/json', ...headers },
      body,
      signal: AbortSignal.any([ending, AbortSignal.timeout(timeoutMs)]),
    })
    await answer.body.dump()
    return answer.statusCode < 300
  } catch {
    return false
  }
}
