import { randomUUID } from 'node:crypto'
import { setTimeout as wait } from 'node:timers/promises'
import { type Chance, seeded } from '../crash/chance.ts'
import type { Answer, Client } from '../crash/client.ts'
import { card } from '../support/railyard.ts'

/**
 * A load of created and changed buyers, and captured and refunded payments. Requests without an answer are
 * repeated under their key.
 */
export interface Load {
  resume(): void
  /** Sends nothing more, and waits for what is under way where the service lives. */
  pause(): Promise<void>
  finish(): Promise<void>
  /** Resources that an answer has shown. */
  acknowledged: Set<string>
  findings: string[]
  requests: number
}

const WORKERS = 12
/** So few that each has many events, and several requests at a time. */
const BUYERS = 40
const PAUSE_MS = 50
/** A service that answers nothing but errors is not asked on. */
const MAX_FINDINGS = 20

export function startLoad(client: Client, seed: number): Load {
  const buyers: string[] = []
  const authorized: string[] = []
  const captured: string[] = []
  let finished = false
  let isUp = true
  let up = Promise.withResolvers<void>()
  up.resolve()
  const underWay = new Set<Promise<unknown>>()
  const load: Load = {
    resume() {
      isUp = true
      up.resolve()
    },
    async pause() {
      if (isUp) up = Promise.withResolvers()
      isUp = false
      await Promise.allSettled(underWay)
    },
    async finish() {
      finished = true
      await Promise.all(working)
    },
    acknowledged: new Set(),
    findings: [],
    requests: 0,
  }

  const once = async (send: () => Promise<Answer>): Promise<Answer | undefined> => {
    const sending = send()
    underWay.add(sending)
    return sending
      .catch(() => undefined)
      .finally(() => underWay.delete(sending))
      .then((answer) =>
        answer?.status === 503 || answer?.body?.code === 'concurrent_request' ? undefined : answer,
      )
  }
  const insist = async (send: () => Promise<Answer>): Promise<Answer | undefined> => {
    load.requests += 1
    for (;;) {
      await up.promise
      const answer = await once(send)
      if (answer) {
        if (answer.status >= 500) load.findings.push(`a request was answered ${answer.status} ${answer.text}`)
        if (load.findings.length >= MAX_FINDINGS) throw new Error(load.findings.join('\n'))
        if (answer.status >= 300) return undefined
        if (answer.body.id) load.acknowledged.add(answer.body.id)
        return answer
      }
      await wait(PAUSE_MS)
    }
  }
  const post = (path: string, body: object) => {
    const key = randomUUID()
    return insist(() => client.post(path, body, key))
  }

  const pay = async (chance: Chance) => {
    const body = {
      amount: chance.between(1_000, 99_999),
      currency: 'USD',
      country: 'US',
      payment_method: card,
    }
    const paid = await post('/transactions', body)
    if (paid?.body.status === 'authorization_succeeded') authorized.push(paid.body.id)
  }
  const capture = async (id: string) => {
    if (await post(`/transactions/${id}/capture`, {})) captured.push(id)
  }
  const make = async () => {
    const made = await post('/buyers', { display_name: 'Ada Lovelace' })
    if (!made) return
    buyers.push(made.body.id)
    if (buyers.length > BUYERS) buyers.shift()
  }
  const work = async (chance: Chance) => {
    while (!finished) {
      const [toCapture, toRefund] = [
        chance.odds(0.5) && authorized.shift(),
        chance.odds(0.5) && captured.shift(),
      ]
      if (toRefund) await post(`/transactions/${toRefund}/refunds`, { amount: 100 })
      else if (toCapture) await capture(toCapture)
      else if (chance.odds(0.35)) await pay(chance)
      else if (buyers.length === 0 || chance.odds(0.3)) await make()
      else {
        const buyer = chance.pick(buyers)
        await insist(() =>
          client.put(`/buyers/${buyer}`, { display_name: `Buyer ${chance.between(1, 1_000_000)}` }),
        )
      }
    }
  }
  const working = Array.from({ length: WORKERS }, (_, index) => work(seeded(seed, index + 1)))
  return load
}
