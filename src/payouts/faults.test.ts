import fc from 'fast-check'
import { afterAll, describe, expect, test } from 'vitest'
import { storeCard } from '../../test/support/domains/network-tokens.ts'
import { payoutOf } from '../../test/support/domains/payouts.ts'
import {
  booksOf,
  expectBooksMatch,
  injectFaults,
  recoverFully,
  sendLate,
} from '../../test/support/provider.ts'
import { startShop } from '../../test/support/start-shop.ts'
import type { FaultItem, FaultKind } from '../sandbox/faults/fault.schema.ts'

const { railyard, shop } = await startShop({ comparesBooks: false, env: { PROVIDER_TIMEOUT_MS: '400' } })
const storedCard = await storeCard(shop)
afterAll(async () => {
  // requests that a fault delayed have arrived by now, and have changed nothing
  await expectBooksMatch(railyard, shop.account)
})

const kinds = [
  'error',
  'lost',
  'reset',
  'malformed',
  'empty',
  'duplicate',
  'outage',
] as const satisfies readonly FaultKind[]

/**
 * The faults of one request: a delay shorter than PROVIDER_TIMEOUT_MS, one longer than it, and each other
 * kind.
 */
const faults: { name: string; fault: Pick<FaultItem, 'kind' | 'delay_ms'> }[] = [
  { name: 'a short delay', fault: { kind: 'delay', delay_ms: 20 } },
  { name: 'a delay beyond the timeout', fault: { kind: 'delay', delay_ms: 800 } },
  ...kinds.map((kind) => ({ name: kind, fault: { kind } })),
]

const payOut = (more: Record<string, unknown> = {}) =>
  shop.post('/payouts', payoutOf(shop.paymentServiceId, more))
const read = async (id: string) => (await shop.get(`/payouts/${id}`)).body

/**
 * Expects that no payout with status failed or declined is approved in the provider's books, also while a
 * fault lasts.
 */
async function expectNoFailedPayoutApproved(): Promise<void> {
  const approved = (await booksOf(railyard)).operations
    .filter(({ status }) => status === 'approved')
    .map(({ key }) => key)
  const failed = await railyard.world.run(
    `select p.id from payouts p join operations o on o.transaction_id = p.id where o.id = any($1) and p.status in ('failed', 'declined')`,
    [approved],
  )
  expect(failed).toEqual([])
}

const payoutCases: { name: string; more: () => Record<string, unknown> }[] = [
  { name: 'to a card', more: () => ({}) },
  { name: 'to a stored card', more: () => ({ payment_method: { id: storedCard } }) },
  { name: 'that stays pending', more: () => ({ amount: 530003 }) },
  { name: 'that is declined', more: () => ({ amount: 530001 }) },
]

describe.each(payoutCases)('a payout $name', ({ more }) => {
  test.each(faults)(
    'a payout is made once or not at all after $name, and its status says which',
    async ({ fault }) => {
      await injectFaults(railyard, { operation: 'payout', ...fault, times: 1 })
      const { status, body } = await payOut(more())
      expect(status).toBe(201)
      await expectNoFailedPayoutApproved()
      await recoverFully(railyard)
      railyard.clock.advance(700_000)
      await railyard.recovery.runOnce()
      await expectNoFailedPayoutApproved()
      await expectBooksMatch(railyard, shop.account)
      expect((await read(body.id)).status).not.toBe('pending')
    },
  )

  test('a payout stays pending while every answer and look-up fails, and gets its outcome afterwards', async () => {
    await injectFaults(
      railyard,
      { operation: 'payout', kind: 'lost' },
      { operation: 'find', kind: 'error' },
      { operation: 'close', kind: 'outage' },
    )
    const { body } = await payOut(more())
    expect(body).toMatchObject({ status: 'pending', payment_service_payout_id: null })
    for (let pass = 0; pass < 3; pass++) {
      railyard.clock.advance(40_000)
      await railyard.recovery.runOnce()
      expect((await read(body.id)).status).toBe('pending')
    }
    await recoverFully(railyard)
    await expectBooksMatch(railyard, shop.account)
  })
})

test('an unknown outcome has one event as pending, and one with the outcome', async () => {
  await injectFaults(
    railyard,
    { operation: 'payout', kind: 'lost', times: 1 },
    { operation: 'close', kind: 'error', times: 2 },
  )
  const { body } = await payOut({ amount: 530003 })
  await recoverFully(railyard)
  railyard.clock.advance(700_000)
  await railyard.recovery.runOnce()
  const events = await railyard.world.run<{ name: string; sequence: number }>(
    'select name, sequence from events where target_id = $1 order by sequence',
    [body.id],
  )
  expect(events).toEqual([
    { name: 'payout.pending', sequence: 1 },
    { name: 'payout.succeeded', sequence: 2 },
  ])
})

test('a payout that never arrived is closed, not sent again: the provider refuses a late request for it', async () => {
  await injectFaults(railyard, { operation: 'payout', kind: 'reset', times: 1 })
  const { body } = await payOut()
  expect(body.status).toBe('pending')
  await recoverFully(railyard)
  expect(await read(body.id)).toMatchObject({ status: 'failed', payment_service_payout_id: null })
  const [operation] = await railyard.world.run<{ id: string; error_code: string }>(
    'select id, error_code from operations where transaction_id = $1',
    [body.id],
  )
  expect(operation?.error_code).toBe('service_network_error')
  const late = `${shop.paymentServiceId}/payouts`
  expect(await sendLate(railyard, late, operation?.id ?? '', { amount: 30_00, currency: 'EUR' })).toBe(410)
  await expectBooksMatch(railyard, shop.account)
})

const sync = (id: string) => shop.post(`/payouts/${id}/sync`)

test('a sync finds out at once what became of a payout whose answer was lost', async () => {
  await injectFaults(railyard, { operation: 'payout', kind: 'lost', times: 1 })
  const { body } = await payOut()
  expect(body.status).toBe('pending')
  expect(await sync(body.id)).toMatchObject({ status: 200, body: { id: body.id, status: 'succeeded' } })
  expect(await sync(body.id)).toMatchObject({ status: 200, body: { status: 'succeeded' } })
  await expectBooksMatch(railyard, shop.account)
})

test('a sync that the payment service does not answer leaves a pending payout as it is', async () => {
  const { body } = await payOut({ amount: 530003 })
  await injectFaults(railyard, { operation: 'find', kind: 'error', times: 1 })
  expect(await sync(body.id)).toMatchObject({ status: 200, body: { status: 'pending' } })
  expect(await sync(body.id)).toMatchObject({ status: 200, body: { status: 'succeeded' } })
})

test('under any faults in any order money leaves once or not at all, and the status says which', async () => {
  const fault = fc.constantFrom(...kinds)
  const timeline = fc.record({
    amount: fc.constantFrom(30_00, 530001, 530002, 530003),
    sent: fc.option(fault),
    lookUps: fc.array(fc.tuple(fc.constantFrom('find' as const, 'close' as const), fault), { maxLength: 4 }),
  })
  await fc.assert(
    fc.asyncProperty(timeline, async ({ amount, sent, lookUps }) => {
      await injectFaults(
        railyard,
        ...(sent ? [{ operation: 'payout' as const, kind: sent, times: 1 }] : []),
        ...lookUps.map(([operation, kind]) => ({ operation, kind, times: 1 })),
      )
      const { body } = await payOut({ amount })
      for (let pass = 0; pass < lookUps.length; pass++) {
        railyard.clock.advance(40_000)
        await railyard.recovery.runOnce()
        await expectNoFailedPayoutApproved()
      }
      await recoverFully(railyard)
      railyard.clock.advance(700_000)
      await railyard.recovery.runOnce()
      expect((await read(body.id)).status).not.toBe('pending')
      await expectBooksMatch(railyard, shop.account)
    }),
    { numRuns: 25 },
  )
})

test('many payouts through a provider that fails at random end as the provider’s books say', async () => {
  await injectFaults(railyard, ...kinds.map((kind) => ({ operation: '*' as const, kind, probability: 0.08 })))
  await Promise.all(
    Array.from({ length: 60 }, (_, index) => payOut({ amount: index % 5 ? 10_00 + index : 530003 })),
  )
  await expectNoFailedPayoutApproved()
  await recoverFully(railyard)
  await expectBooksMatch(railyard, shop.account)
})
