import fc from 'fast-check'
import { afterAll, describe, expect, test } from 'vitest'
import { exchanger } from '../../../test/fuzz/exchange.ts'
import { keyedOperations } from '../../../test/fuzz/spelled-money.ts'
import { auditedOperations } from '../../../test/support/checks/audited-operations.ts'
import { operationsOf } from '../../../test/support/checks/schema-values.ts'
import { spellingsOf } from '../../../test/support/checks/spellings.ts'
import { type Client, card } from '../../../test/support/railyard.ts'
import { startRailyardForFile } from '../../../test/support/start-railyard.ts'

const RUNS = 8
const SPELLINGS = 4
/** No such path, no such method, or not an id: the spelling leads to no operation that takes the key. */
const NOT_THE_OPERATION = [404, 405, 422]

const railyard = await startRailyardForFile()
const shop: Client = await railyard.merchant()
const operations = auditedOperations(railyard, shop)
const connection = exchanger(railyard.url, 1)
afterAll(async () => {
  connection.close()
})

/** Sends the path as it is; `fetch` would normalize it. */
async function send(path: string, body: unknown, headers: Record<string, string>) {
  const text = body === undefined ? undefined : JSON.stringify(body)
  const { status, text: answer } = await connection.exchange({
    method: 'POST',
    path,
    headers: {
      authorization: `Bearer ${shop.token}`,
      'api-version': '2026-04-17',
      'x-svc-merchant-account-id': shop.account,
      ...(text !== undefined && { 'content-type': 'application/json' }),
      ...headers,
    },
    body: text,
  })
  return { status, answer }
}

test('the operations that take an idempotency key are those whose paths are spelled here', async () => {
  const { body: document } = await railyard.send('GET', '/openapi.json')
  const named = operationsOf(document).filter(({ parameters }) =>
    parameters.some(({ name }) => name === 'idempotency-key'),
  )
  expect(named.map(({ id }) => id).sort()).toEqual([...keyedOperations].sort())
})

describe('one idempotency key takes effect once, however the path of the request is spelled', () => {
  test.each([...keyedOperations, 'cancel_transaction'])('%s', async (id) => {
    await fc.assert(
      fc.asyncProperty(fc.nat(), async (seed) => {
        const [path, body] = await askOf(id)
        const chosen = fc.sample(spellingsOf(path), { numRuns: SPELLINGS, seed })
        const headers = { 'idempotency-key': crypto.randomUUID() }
        const answers = []
        // the canonical spelling is not always the first
        for (const spelled of [
          ...chosen.slice(0, SPELLINGS / 2),
          path,
          ...chosen.slice(SPELLINGS / 2),
          `${path}/`,
        ])
          answers.push({ spelled, ...(await send(spelled, body, headers)) })
        const done = answers.filter(({ status }) => !NOT_THE_OPERATION.includes(status))
        expect(done.length).toBeGreaterThanOrEqual(2)
        const [first] = done
        expect([200, 201]).toContain(first?.status)
        for (const { status, answer } of done)
          expect({ status, answer }, `${answers.map(({ spelled }) => spelled)}`).toEqual({
            status: first?.status,
            answer: first?.answer,
          })
      }),
      { numRuns: RUNS },
    )
  })
})

const askOf = async (id: string) => {
  const operation = operations[id]
  if (!operation) throw new Error(`there is no request for ${id}`)
  return operation.request()
}

test('two refunds of one key on two spellings of the path refund the amount once', async () => {
  const [path, body] = await askOf('create_transaction_refund')
  const headers = { 'idempotency-key': 'one-refund' }
  const payment = path.replace('/refunds', '')
  for (const spelled of [
    path,
    `${path}/`,
    path.replace('/refunds', '/%72efunds'),
    path.replace(/[0-9a-f-]{36}/, (found) => found.toUpperCase()),
  ])
    expect(await send(spelled, body, headers)).toMatchObject({ status: 201 })
  expect((await shop.get(payment)).body).toMatchObject({ captured_amount: 10_00, refunded_amount: 1_00 })
  // keys live for 31 days: a version that writes another scope would repeat what an older one has done
  const scopes = await railyard.world.run('select scope from idempotency_keys where key = $1', ['one-refund'])
  expect(scopes).toEqual([{ scope: `POST ${path}` }])
})

test('a filter accepts an id in capitals, and its cursor continues with the id in lower case', async () => {
  const { id } = (await shop.post('/buyers', {})).body
  for (let count = 0; count < 3; count++)
    await shop.post('/transactions', { amount: 1_00, currency: 'EUR', payment_method: card, buyer_id: id })
  const first = await shop.get(`/transactions?limit=2&buyer_id=${id.toUpperCase()}`)
  expect(first.body.items).toHaveLength(2)
  const next = await shop.get(`/transactions?limit=2&buyer_id=${id}&cursor=${first.body.next_cursor}`)
  expect(next).toMatchObject({ status: 200, body: { items: [{ amount: 1_00 }] } })
})

test('the timeline of a payment names the canonical path', async () => {
  const [path, body] = await askOf('capture_transaction')
  const odd = `${path.toUpperCase().replace('/TRANSACTIONS/', '/transaction%73/').replace('/CAPTURE', '/capture')}/?x=1`
  expect(await send(odd, body, {})).toMatchObject({ status: 200 })
  const { items } = (await shop.get(`${path.replace('/capture', '')}/events`)).body
  const requests = items.filter(({ name }: { name: string }) => name === 'transaction-api-request')
  expect(requests[0].context.url).toBe(path)
})
