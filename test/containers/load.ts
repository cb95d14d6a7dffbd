import { setTimeout as wait } from 'node:timers/promises'
import { pay } from './requests.ts'

export interface Loaded {
  payments: number
  /** The payments that were answered otherwise than 201 and authorized, as text. */
  failed: string[]
  slowestMs: number
}

/** Pays at this rate while `work` runs, and until every payment is answered. */
export async function payDuring(
  { url, token, perSecond }: { url: string; token: string; perSecond: number },
  work: () => Promise<void>,
): Promise<Loaded> {
  const failed: string[] = []
  const asked: Promise<void>[] = []
  let slowestMs = 0
  const send = async () => {
    const at = performance.now()
    const outcome = await pay(url, token).then(
      ({ status, body }) => `${status} ${body.status ?? JSON.stringify(body)}`,
      (error: Error) => `${error.message} ${error.cause ?? ''}`,
    )
    slowestMs = Math.max(slowestMs, Math.round(performance.now() - at))
    if (outcome !== '201 authorization_succeeded') failed.push(`${new Date().toISOString()} ${outcome}`)
  }
  let working = true
  const began = performance.now()
  const sending = (async () => {
    for (let count = 0; working; count++) {
      // by the clock: what a busy machine was late with is sent at once
      await wait(Math.max(0, began + (count * 1_000) / perSecond - performance.now()))
      asked.push(send())
    }
  })()
  try {
    await work()
  } finally {
    working = false
    await sending
    await Promise.all(asked)
  }
  return { payments: asked.length, failed, slowestMs }
}
