import { describe, expect, test } from 'vitest'
import { startBnplShop } from '../../../test/support/domains/bnpl.ts'
import {
  bookDifferences,
  booksOf,
  expectBooksMatch,
  injectFaults,
  recoverFully,
} from '../../../test/support/provider.ts'
import type { FaultItem, FaultKind } from '../../sandbox/faults/fault.schema.ts'

const { railyard, shop } = await startBnplShop({ env: { PROVIDER_TIMEOUT_MS: '400' }, faults: true })

/** A delay shorter than the provider timeout, and a longer one. */
const faults: { name: string; fault: Pick<FaultItem, 'kind' | 'delay_ms'> }[] = [
  { name: 'a short delay', fault: { kind: 'delay', delay_ms: 20 } },
  { name: 'a delay beyond our patience', fault: { kind: 'delay', delay_ms: 800 } },
  ...(['error', 'lost', 'reset', 'malformed', 'empty', 'duplicate', 'outage'] satisfies FaultKind[]).map(
    (kind) => ({ name: kind, fault: { kind } }),
  ),
]

/** Prepares a payment; returns its id or its token. */
type Prepare = () => Promise<{ id?: string; token?: string }>

interface Deed {
  name: string
  operation: FaultItem['operation']
  prepare: Prepare
  /** Returns the payment's id. */
  act: (prepared: { id?: string; token?: string }) => Promise<string>
}

const pressed: Prepare = async () => ({ token: await shop.pressExpress(30_00) })
const bought =
  (intent: string, amount = 30_00): Prepare =>
  async () => ({
    id: (await shop.buyExpress(amount, await shop.pressExpress(amount), { intent })).body.id,
  })
const pay =
  (intent: string) =>
  async ({ token = '' }) =>
    (await shop.buyExpress(30_00, token, { intent })).body.id
const then =
  (work: (id: string) => Promise<{ status: number }>) =>
  async ({ id = '' }) => {
    expect((await work(id)).status).toBeLessThan(300)
    return id
  }

const money: Deed[] = [
  { name: 'authorize', operation: 'authorize', prepare: pressed, act: pay('authorize') },
  { name: 'sale', operation: 'sale', prepare: pressed, act: pay('capture') },
  {
    name: 'capture',
    operation: 'capture',
    prepare: bought('authorize'),
    act: then((id) => shop.payment(id).capture({ amount: 20_00 })),
  },
  {
    name: 'void',
    operation: 'void',
    prepare: bought('authorize'),
    act: then((id) => shop.payment(id).void()),
  },
  {
    name: 'refund',
    operation: 'refund',
    prepare: bought('capture'),
    act: then((id) => shop.payment(id).refund({ amount: 10_00 })),
  },
  {
    name: 'cancel',
    operation: 'cancel',
    prepare: bought('authorize', 540001),
    act: then((id) => shop.payment(id).cancel()),
  },
]

/** The same operations with the fault in reading the order. */
const looks: Deed[] = money.map((deed) => ({
  ...deed,
  name: `the look after ${deed.name}`,
  operation: 'find',
}))

/** No operation that failed with us may be approved in the books. Read while the fault still lasts. */
async function neverFailedWhileApproved(): Promise<void> {
  const approved = (await booksOf(railyard)).operations
    .filter(({ status }) => status === 'approved')
    .map(({ key }) => key)
  const ours = await railyard.world.run(
    `select id, kind, status from operations where id = any($1) and status in ('failed', 'declined')`,
    [approved],
  )
  expect(ours).toEqual([])
}

describe.each([...money, ...looks])('$name', ({ operation, prepare, act }) => {
  test.each(faults)('takes effect once or never after $name, and the journal agrees', async ({ fault }) => {
    const prepared = await prepare()
    await injectFaults(railyard, { operation, ...fault, times: 1 })
    const id = await act(prepared)
    await neverFailedWhileApproved()
    await recoverFully(railyard)
    await neverFailedWhileApproved()
    await shop.payment(id).sync()
    await expectBooksMatch(railyard, shop.account)
    expect((await shop.payment(id).read()).status).not.toMatch(/processing|pending/)
  })

  test('stays open while every answer is lost and the books cannot be read, and then has the true outcome', async () => {
    const prepared = await prepare()
    await injectFaults(railyard, { operation, kind: 'lost' }, { operation: 'find', kind: 'error' })
    const id = await act(prepared)
    for (let pass = 0; pass < 3; pass++) {
      railyard.clock.advance(40_000)
      await railyard.recovery.runOnce()
      await neverFailedWhileApproved()
    }
    await recoverFully(railyard)
    await shop.payment(id).sync()
    await expectBooksMatch(railyard, shop.account)
  })
})

describe('the buyer’s approval', () => {
  test.each(faults)('is opened in the end after $name', async ({ fault }) => {
    await injectFaults(railyard, { operation: 'approval', ...fault, times: 1 })
    const { status, body } = await shop.buy(30_00)
    expect(status).toBe(201)
    await recoverFully(railyard)
    const asked = await shop.payment(body.id).read()
    expect(asked.status).toBe('buyer_approval_pending')
    await shop.browse(await shop.decide(asked.payment_method.approval_url, 'approve'))
    await recoverFully(railyard)
    expect((await shop.payment(body.id).read()).status).toBe('authorization_succeeded')
    await expectBooksMatch(railyard, shop.account)
  })

  test.each(faults)('is found in the end after $name', async ({ fault }) => {
    const { body } = await shop.buy(30_00)
    await injectFaults(railyard, { operation: 'find', ...fault, times: 2 })
    const back = await shop.decide(body.payment_method.approval_url, 'approve')
    await shop.browse(back)
    await recoverFully(railyard)
    await shop.payment(body.id).sync()
    expect((await shop.payment(body.id).read()).status).toBe('authorization_succeeded')
    await expectBooksMatch(railyard, shop.account)
  })
})

test('an unknown outcome blocks other operations on the same money', async () => {
  const { id = '' } = await bought('authorize')()
  await injectFaults(railyard, { operation: '*', kind: 'lost' })
  await shop.payment(id).capture()
  expect((await shop.payment(id).void()).status).toBe(425)
  await recoverFully(railyard)
  await expectBooksMatch(railyard, shop.account)
})

test('many payments through a provider that fails at random end as in its books', async () => {
  const tokens = await Promise.all(Array.from({ length: 30 }, (_, index) => shop.pressExpress(10_00 + index)))
  const kinds = ['error', 'lost', 'reset', 'malformed', 'empty', 'duplicate', 'outage'] as const
  await injectFaults(railyard, ...kinds.map((kind) => ({ operation: '*' as const, kind, probability: 0.08 })))
  await Promise.all(
    tokens.map(async (token, index) => {
      const { body } = await shop.buyExpress(10_00 + index, token, index % 2 ? { intent: 'capture' } : {})
      const payment = shop.payment(body.id)
      await payment.capture({ amount: 5_00 })
      await payment.refund({ amount: 1_00 })
      await payment.refund({ amount: 2_00 })
      await payment.void()
    }),
  )
  await neverFailedWhileApproved()
  await recoverFully(railyard)
  expect(await bookDifferences(railyard, shop.account)).toEqual([])
})
