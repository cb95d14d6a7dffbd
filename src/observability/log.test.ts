import { expect, test } from 'vitest'
import { injectFaults, recoverFully } from '../../test/support/provider.ts'
import { startShop } from '../../test/support/start-shop.ts'

const { railyard, shop } = await startShop({ comparesBooks: false })

interface Line {
  msg: string
  request?: string
  transaction?: string
  operation?: string
  account?: string
}

/** The log lines of `work`. The line of a request comes after its answer. */
async function lines<T>(work: () => Promise<T>): Promise<{ result: T; logged: Line[]; texts: string[] }> {
  const before = railyard.logged.length
  const result = await work()
  await railyard.send('GET', '/health/live')
  const texts = railyard.logged.slice(before)
  return { result, texts, logged: texts.map((text): Line => JSON.parse(text)) }
}

test('the line of a request names the request, its account and its transaction', async () => {
  const { result, logged } = await lines(() => shop.pay(10_00))
  const request = result.headers.get('x-request-id')
  expect(logged.find((line) => line.request === request)).toMatchObject({
    msg: 'request',
    account: shop.account,
    transaction: result.body.id,
  })
  const read = await lines(() => shop.get(`/transactions/${result.body.id}`))
  expect(read.logged).toContainEqual(
    expect.objectContaining({
      msg: 'request',
      request: read.result.headers.get('x-request-id'),
      transaction: result.body.id,
    }),
  )
})

test('a line from deep within a request names it too, once', async () => {
  const { world } = railyard
  const { run } = world
  world.run = async (text, values) => {
    world.log.warn('slow')
    return run(text, values)
  }
  try {
    const { result, logged, texts } = await lines(() => shop.pay(10_00))
    const request = result.headers.get('x-request-id')
    const own = logged.filter((line) => line.request === request)
    expect(own).toContainEqual(expect.objectContaining({ msg: 'slow', transaction: result.body.id }))
    for (const text of texts)
      expect([text, text.match(/"request":/g)?.length ?? 0]).toEqual([
        text,
        text.includes('"request":') ? 1 : 0,
      ])
  } finally {
    world.run = run
  }
})

test('two requests at a time do not take each other’s name', async () => {
  const { result, logged } = await lines(() =>
    Promise.all([shop.pay(10_00), shop.pay(11_00), shop.pay(12_00)]),
  )
  for (const { headers, body } of result) {
    const named = logged
      .filter(({ request }) => request === headers.get('x-request-id'))
      .map(({ transaction }) => transaction)
    expect(named).toEqual([body.id])
  }
})

test('what a path says is not taken for a transaction unless it is one', async () => {
  const { logged } = await lines(() => shop.get('/transactions/4111111111111111'))
  expect(logged.map(({ transaction }) => transaction)).toEqual(logged.map(() => undefined))
})

test('a line about an operation outside of requests names it and its transaction', async () => {
  await injectFaults(railyard, { operation: 'authorize', kind: 'lost', times: 1 })
  const { body } = await shop.pay(10_00)
  const { world } = railyard
  const { run } = world
  await injectFaults(railyard)
  railyard.clock.advance(40_000)
  world.run = async (text, values) => {
    if (text.includes('row_to_json(t) as transaction, row_to_json(o) as operation'))
      throw new Error('the connection broke')
    return run(text, values)
  }
  const { logged } = await lines(() => railyard.recovery.runOnce())
  world.run = run
  const line = logged.find(({ msg }) => msg.startsWith('recovery could not examine'))
  expect(line).toMatchObject({ transaction: body.id, operation: expect.any(String) })
  expect(line?.request).toBeUndefined()
  await recoverFully(railyard)
})
