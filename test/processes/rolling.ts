import { randomUUID } from 'node:crypto'
import { setTimeout as wait } from 'node:timers/promises'
import { Agent } from 'undici'
import { freshToken } from '../crash/crashes.ts'
import type { Fleet } from './fleet.ts'

export interface Rolled {
  requests: number
  /** The failed requests, as text. */
  failed: string[]
  /** Milliseconds from SIGTERM to the end of each process. */
  exits: number[]
}

const card = { method: 'card', number: '4111111111111111', expiration_date: '12/35', security_code: '123' }

/**
 * Restarts the API processes one after the other while requests come in at this rate: half of them payments,
 * on kept connections.
 */
export async function rollUnderLoad(
  fleet: Fleet,
  { restarts, perSecond }: { restarts: number; perSecond: number },
): Promise<Rolled> {
  const token = await freshToken(fleet.env)
  const agent = new Agent({ connections: 64 })
  const failed: string[] = []
  const asked: Promise<void>[] = []
  let rolling = true
  const began = performance.now()
  const fail = (what: string) => failed.push(`${((performance.now() - began) / 1_000).toFixed(1)} s: ${what}`)
  const send = async (pays: boolean) => {
    const body = pays
      ? JSON.stringify({ amount: 12_99, currency: 'USD', country: 'US', payment_method: card })
      : null
    try {
      const answer = await agent.request({
        origin: fleet.balancer.url,
        path: pays ? '/transactions' : '/transactions?limit=1',
        method: pays ? 'POST' : 'GET',
        headers: {
          authorization: `Bearer ${token}`,
          ...(pays && { 'content-type': 'application/json', 'idempotency-key': randomUUID() }),
        },
        body,
      })
      const text = await answer.body.text()
      if (answer.statusCode >= 300) fail(`${answer.statusCode} ${text}`)
    } catch (error) {
      fail(error instanceof Error ? `${error.message} ${'code' in error ? error.code : ''}` : String(error))
    }
  }
  const sending = (async () => {
    for (let count = 0; rolling; count++) {
      // by the clock: requests that a busy machine was late with are sent at once
      await wait(Math.max(0, began + (count * 1_000) / perSecond - performance.now()))
      asked.push(send(count % 2 === 0))
    }
  })()
  const exits: number[] = []
  await wait(1_000)
  const answering = fleet.members.filter(({ role }) => role === 'api')
  for (let count = 0; count < restarts; count++) {
    const member = answering[count % answering.length]
    if (!member) break
    const stoppedAt = performance.now()
    const { code, output } = await member.process.stop()
    exits.push(Math.round(performance.now() - stoppedAt))
    if (code !== 0) fail(`a process ended with ${code}: ${output}`)
    await fleet.restart(member)
  }
  rolling = false
  await sending
  await Promise.all(asked)
  await agent.destroy()
  return { requests: asked.length, failed, exits }
}
