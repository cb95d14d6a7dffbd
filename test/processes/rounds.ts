import { randomUUID } from 'node:crypto'
import type { Chance } from '../crash/chance.ts'
import { type Action, askPatiently, type Sent } from '../crash/client.ts'
import { freshToken } from '../crash/crashes.ts'
import type { Findings } from '../crash/oracle.ts'
import { groupBy } from '../crash/oracle.ts'
import type { Fleet } from './fleet.ts'

const card = { method: 'card', number: '4111111111111111', expiration_date: '12/35', security_code: '123' }

interface Comparison {
  status: number
  text: string
  retryAfter: string | undefined
}

/** Sends a request to the processes in turn. */
async function ask(
  { apis }: Fleet,
  turn: number,
  token: string,
  path: string,
  body: object,
  key?: string,
): Promise<Comparison> {
  const headers = {
    authorization: `Bearer ${token}`,
    'content-type': 'application/json',
    ...(key && { 'idempotency-key': key }),
  }
  const answer = await fetch(`${apis[turn % apis.length]}${path}`, {
    method: 'POST',
    headers,
    body: JSON.stringify(body),
  })
  const retryAfter = answer.headers.get('retry-after') ?? undefined
  return { status: answer.status, text: await answer.text(), retryAfter }
}

/** Of 500 requests with one browser's token, sent to all processes concurrently, exactly 50 are accepted. */
export async function offerTooMany(fleet: Fleet): Promise<Findings> {
  const token = await freshToken(fleet.env, ['embed'])
  // refused for its currency, which costs no client a payment; it counts as taken
  const offer = { amount: 12_99, currency: 'XXQ', payment_method: card }
  const answers = await Promise.all(
    Array.from({ length: 500 }, (_, turn) =>
      askPatiently(() => ask(fleet, turn, token, '/transactions', offer)),
    ),
  )
  const refused = answers.filter(({ status }) => status === 429)
  const untold = refused.filter(({ retryAfter }) => !(Number(retryAfter) > 0))
  const broken = answers.filter(({ status }) => status >= 500)
  return [
    ...(answers.length - refused.length - broken.length === 50
      ? []
      : [`${answers.length - refused.length} of 500 were taken, not 50`]),
    ...broken.slice(0, 1).map(({ text }) => `${broken.length} were answered like ${text}`),
    ...(untold.length > 0 ? [`${untold.length} refusals do not say when to come back`] : []),
  ]
}

/** A server's calls have no rate limit. */
export async function callOften(fleet: Fleet, calls: number): Promise<Findings> {
  const token = await freshToken(fleet.env)
  const statuses = new Map<number, number>()
  let turn = 0
  const work = async () => {
    for (; turn < calls; ) {
      const api = fleet.apis[turn++ % fleet.apis.length]
      const answer = await fetch(`${api}/transactions?limit=1`, {
        headers: { authorization: `Bearer ${token}` },
      })
      await answer.arrayBuffer()
      statuses.set(answer.status, (statuses.get(answer.status) ?? 0) + 1)
    }
  }
  await Promise.all(Array.from({ length: 32 }, work))
  return [...statuses]
    .filter(([status]) => status !== 200)
    .map(([status, count]) => `${count} of ${calls} calls were answered ${status}`)
}

/** 100 requests under one key, concurrently over all processes, have one effect, also if it is a decline. */
export async function sendOneKeyTogether(fleet: Fleet, chance: Chance): Promise<Findings> {
  const token = await freshToken(fleet.env)
  const key = randomUUID()
  const mark = randomUUID()
  const amount = chance.odds(0.3) ? 200_011 : chance.between(1_000, 99_999)
  const body = { amount, currency: 'USD', country: 'US', payment_method: card, external_identifier: mark }
  const answers = await Promise.all(
    Array.from({ length: 100 }, (_, turn) =>
      askPatiently(() => ask(fleet, turn, token, '/transactions', body, key)),
    ),
  )
  const other = await ask(
    fleet,
    chance.between(0, 9),
    token,
    '/transactions',
    { ...body, amount: amount + 1 },
    key,
  )
  const different = new Set(answers.map(({ status, text }) => `${status} ${text}`))
  const books = (await (await fetch(`${fleet.sandboxUrl}/books`)).json()) as {
    attempts: Record<string, number>
    operations: { key: string }[]
  }
  const { body: listed } = await fleet.client.get(`/transactions?external_identifier=${mark}`)
  const again = Object.entries(books.attempts).filter(([, times]) => times > 1)
  return [
    ...(different.size === 1
      ? []
      : [
          `one key has ${different.size} answers: ${[...different].map((each) => each.slice(0, 300)).join('; ')}`,
        ]),
    ...(listed.items.length === 1 ? [] : [`one key has ${listed.items.length} transactions`]),
    ...again.map(([operation, times]) => `the payment service was asked ${times} times for ${operation}`),
    ...(other.status === 409 ? [] : [`another body under the key was answered ${other.status}`]),
  ]
}

const sent = (action: Action, path: string, body: Record<string, unknown>, transactionId?: string): Sent => {
  const mark = randomUUID()
  const marked = action === 'void' || action === 'increment' ? body : { ...body, external_identifier: mark }
  return { action, path, body: marked, mark, transactionId, key: randomUUID(), tries: 0, answer: undefined }
}

/**
 * 64 concurrent captures, increments, voids and refunds of one payment. Refusals are answers; errors are
 * findings. The amounts must agree with the books.
 */
export async function pullAtOnePayment(fleet: Fleet, chance: Chance): Promise<Findings> {
  const { client } = fleet
  const creation = sent('create', '/transactions', {
    amount: chance.between(5_000, 20_000),
    currency: 'USD',
    country: 'US',
    payment_method: card,
    intent: chance.odds(0.4) ? 'capture' : 'authorize',
  })
  await client.send(creation)
  const id = creation.answer?.body.id
  const requests = Array.from({ length: 64 }, (): Sent => {
    const at = `/transactions/${id}`
    const amount = chance.between(1, 4_000)
    if (chance.odds(0.35)) return sent('capture', `${at}/capture`, { amount, final: chance.odds(0.1) }, id)
    if (chance.odds(0.2)) return sent('increment', `${at}/authorization/increment`, { amount }, id)
    if (chance.odds(0.1)) return sent('void', `${at}/void`, {}, id)
    return sent('refund', `${at}/refunds`, { amount }, id)
  })
  await Promise.all(requests.map((request) => client.send(request)))
  const statuses = groupBy(requests, ({ answer }) => String(answer?.status ?? 'nothing'))
  return [...statuses]
    .filter(([status]) => !['200', '201', '400', '409', '425'].includes(status))
    .map(
      ([status, group]) =>
        `${group.length} of 64 requests for ${id} were answered ${status}: ${group[0]?.answer?.text}`,
    )
}
