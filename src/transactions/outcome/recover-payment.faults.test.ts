import { afterAll, describe, expect, test } from 'vitest'
import {
  bookDifferences,
  booksOf,
  expectBooksMatch,
  injectFaults,
  recoverFully,
} from '../../../test/support/provider.ts'
import type { Answer } from '../../../test/support/railyard.ts'
import type { Payment } from '../../../test/support/shop.ts'
import { startShop } from '../../../test/support/start-shop.ts'
import type { HttpRequest } from '../../connectors/wire/http-message.ts'
import type { FaultItem, FaultKind } from '../../sandbox/faults/fault.schema.ts'

const { railyard, shop } = await startShop({ comparesBooks: false, env: { PROVIDER_TIMEOUT_MS: '400' } })
afterAll(async () => {
  // what a delay held back has arrived by now, and changed nothing
  await expectBooksMatch(railyard, shop.account)
})

/** A delay shorter than our patience, and one beyond it. */
const faults: { name: string; fault: Pick<FaultItem, 'kind' | 'delay_ms'> }[] = [
  { name: 'a short delay', fault: { kind: 'delay', delay_ms: 20 } },
  { name: 'a delay beyond our patience', fault: { kind: 'delay', delay_ms: 800 } },
  ...(['error', 'lost', 'reset', 'malformed', 'empty', 'duplicate', 'outage'] satisfies FaultKind[]).map(
    (kind) => ({ name: kind, fault: { kind } }),
  ),
]

interface Deed {
  operation: FaultItem['operation']
  prepare: () => Promise<Payment | undefined>
  act: (payment: Payment | undefined) => Promise<Answer>
}

const deeds: Deed[] = [
  { operation: 'authorize', prepare: async () => undefined, act: () => shop.pay(30_00) },
  { operation: 'sale', prepare: async () => undefined, act: () => shop.pay(30_00, { intent: 'capture' }) },
  {
    operation: 'capture',
    prepare: () => shop.authorized(30_00),
    act: (payment) => shop.payment(payment?.id ?? '').capture({ amount: 20_00 }),
  },
  {
    operation: 'void',
    prepare: () => shop.authorized(30_00),
    act: (payment) => shop.payment(payment?.id ?? '').void(),
  },
  {
    operation: 'increment',
    prepare: () => shop.authorized(30_00),
    act: (payment) => shop.payment(payment?.id ?? '').increment(5_00),
  },
  {
    operation: 'refund',
    prepare: () => shop.sold(30_00),
    act: (payment) => shop.payment(payment?.id ?? '').refund({ amount: 10_00 }),
  },
  {
    operation: 'cancel',
    prepare: () => shop.authorized(540001),
    act: (payment) => shop.payment(payment?.id ?? '').cancel(),
  },
]

/** Nothing that has failed at us may be approved in the books: asked at once, while the fault still lasts. */
async function neverFailedWhileApproved(): Promise<void> {
  const approved = (await booksOf(railyard)).operations
    .filter(({ status }) => status === 'approved')
    .map(({ key }) => key)
  const ours = await railyard.world.run<{ id: string; kind: string; status: string }>(
    `select id, kind, status from operations where id = any($1) and status in ('failed', 'declined')`,
    [approved],
  )
  expect(ours).toEqual([])
}

describe.each(deeds)('$operation', ({ operation, prepare, act }) => {
  test.each(faults)('is done once or not at all after $name, and we know which', async ({ fault }) => {
    const payment = await prepare()
    await injectFaults(railyard, { operation, ...fault, times: 1 })
    const { status, body } = await act(payment)
    expect(status).toBeLessThan(300)
    await neverFailedWhileApproved()
    await recoverFully(railyard)
    await neverFailedWhileApproved()
    await expectBooksMatch(railyard, shop.account)
    const id = payment?.id ?? body.id
    expect((await shop.payment(id).read()).status).not.toMatch(/processing|pending/)
  })

  test('with every answer lost and no look into the books, nothing is decided; then the truth', async () => {
    const payment = await prepare()
    await injectFaults(
      railyard,
      { operation, kind: 'lost' },
      { operation: 'find', kind: 'error' },
      { operation: 'close', kind: 'outage' },
    )
    const answer = await act(payment)
    const transaction = async () => shop.payment(payment?.id ?? answer.body.id).read()
    const open = await railyard.world.run(
      'select id from operations where transaction_id = $1 and status = $2',
      [(await transaction()).id, 'unknown'],
    )
    expect(open).toHaveLength(1)
    for (let pass = 0; pass < 3; pass++) {
      railyard.clock.advance(40_000)
      await railyard.recovery.runOnce()
      await neverFailedWhileApproved()
    }
    await recoverFully(railyard)
    await expectBooksMatch(railyard, shop.account)
  })
})

test('an operation that never arrived is sent again under the same key, and takes effect once', async () => {
  const payment = await shop.authorized(30_00)
  await injectFaults(railyard, { operation: 'capture', kind: 'reset', times: 2 })
  expect((await payment.capture()).body.status).toBe('capture_pending')
  await recoverFully(railyard)
  expect(await payment.read()).toMatchObject({ status: 'capture_succeeded', captured_amount: 30_00 })
  const { payment_service_transaction_id: reference } = await payment.read()
  const { operations, attempts } = await booksOf(railyard)
  const captures = operations.filter(({ kind, payment_id }) => kind === 'capture' && payment_id === reference)
  expect(captures.map(({ key }) => attempts[key])).toEqual([1])
})

test('an operation whose second sending is turned away for its rate has not failed: the first may still arrive', async () => {
  const payment = await shop.authorized(30_00)
  const { world } = railyard
  const { http } = world
  const late: HttpRequest[] = []
  world.http = {
    ...http,
    async request(asked) {
      late.push(asked)
      return { lost: true, sent: true, reason: 'no answer in time' }
    },
  }
  await payment.capture().finally(() => {
    world.http = http
  })
  await injectFaults(railyard, { operation: 'capture', kind: 'rate_limit', per_second: 0 })
  railyard.clock.advance(40_000)
  await railyard.recovery.runOnce()
  expect((await payment.read()).status).toBe('capture_pending')
  await injectFaults(railyard)
  for (const request of late) await http.request(request)
  await neverFailedWhileApproved()
  await recoverFully(railyard)
  expect(await payment.read()).toMatchObject({ status: 'capture_succeeded', captured_amount: 30_00 })
})

test('a payment that was approved before its late cancellation arrived is authorized as soon as that is refused', async () => {
  const payment = await shop.authorized(540001)
  await injectFaults(railyard, { operation: 'cancel', kind: 'reset' })
  expect((await payment.cancel()).status).toBe(200)
  // the payment service approves the payment when it is asked, and the cancellation has still not arrived
  railyard.clock.advance(11 * 60_000)
  await railyard.recovery.runOnce()
  expect((await payment.read()).status).toBe('processing')
  await recoverFully(railyard)
  expect((await payment.read()).status).toBe('authorization_succeeded')
  await expectBooksMatch(railyard, shop.account)
})

test('while an outcome is unknown, nothing else is done with the same money', async () => {
  const [captured, refunded] = [await shop.authorized(30_00), await shop.sold(30_00)]
  await injectFaults(railyard, { operation: '*', kind: 'lost' })
  await captured.capture()
  await refunded.refund({ amount: 20_00 })
  const answers = [
    await captured.capture(),
    await captured.void(),
    await captured.increment(1),
    await refunded.refund({ amount: 20_00 }),
  ]
  expect(answers.map((answer) => answer.status)).toEqual([425, 425, 425, 400])
  await recoverFully(railyard)
  await expectBooksMatch(railyard, shop.account)
})

test('many payments through a provider that fails at random end as its books say', async () => {
  const kinds = ['error', 'lost', 'reset', 'malformed', 'empty', 'outage'] as const
  await injectFaults(railyard, ...kinds.map((kind) => ({ operation: '*' as const, kind, probability: 0.08 })))
  await Promise.all(
    Array.from({ length: 40 }, async (_, index) => {
      const payment = shop.payment(
        (await shop.pay(10_00 + index, index % 2 ? { intent: 'capture' } : {})).body.id,
      )
      await payment.capture({ amount: 5_00, final: false })
      await payment.refund({ amount: 1_00 })
      await payment.increment(1)
      await payment.refund({ amount: 2_00 })
      await payment.void()
    }),
  )
  await neverFailedWhileApproved()
  await recoverFully(railyard)
  expect(await bookDifferences(railyard, shop.account)).toEqual([])
  await expectBooksMatch(railyard, shop.account)
})

test('a queued void waits for a process that has the connector of its payment service', async () => {
  const { world } = railyard
  const { connectors } = world
  const payment = await shop.authorized(30_00)
  await injectFaults(railyard, { operation: 'void', kind: 'reset', times: 1 })
  await payment.void()
  await world.run(
    `update operations set status = 'queued', checks = 0, check_at = created_at where transaction_id = $1 and kind = 'void'`,
    [payment.id],
  )
  world.connectors = new Map()
  for (let round = 0; round < 3; round++) {
    railyard.clock.advance(700_000)
    await railyard.recovery.runOnce()
  }
  world.connectors = connectors
  expect(await payment.read()).toMatchObject({ status: 'authorization_void_pending' })
  await recoverFully(railyard)
  expect(await payment.read()).toMatchObject({ status: 'authorization_voided' })
})
