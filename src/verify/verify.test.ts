import { beforeEach, describe, expect, test } from 'vitest'
import { addGiftCardService, newGiftCard } from '../../test/support/domains/gift-cards.ts'
import { injectFaults, recoverFully } from '../../test/support/provider.ts'
import type { Payment } from '../../test/support/shop.ts'
import { startShop } from '../../test/support/start-shop.ts'
import { copyOf, moved } from '../../test/support/tamper.ts'
import { verify } from './verify.ts'

const { railyard, shop } = await startShop({ comparesBooks: false })

let payment: Payment

/** A payment with an operation of each kind. */
beforeEach(async () => {
  payment = await shop.authorized(100_00)
  await payment.increment(20_00)
  await payment.capture({ amount: 60_00, final: false })
  await payment.refund({ amount: 10_00 })
})

const findings = async () =>
  (await verify(railyard.world.run)).findings.filter(({ transaction_id }) => transaction_id === payment.id)
const problems = async () => (await findings()).map(({ problem }) => problem)

/** Changes the tables by SQL, checks the finding, and repairs the rows by another statement. */
async function tampered<T>(
  change: string | string[],
  repair: string | string[],
  look: () => Promise<T>,
): Promise<T> {
  const { run } = railyard.world
  for (const statement of [change].flat()) await run(statement, [payment.id])
  try {
    return await look()
  } finally {
    for (const statement of [repair].flat()) await run(statement, [payment.id])
    expect(await problems()).toEqual([])
  }
}

test('ordinary payments have no findings', async () => {
  const verification = await verify(railyard.world.run)
  expect(verification).toMatchObject({ findings: [], undecided: 0 })
  expect(verification.transactions).toBeGreaterThan(0)
  expect(verification.operations).toBeGreaterThan(3)
})

test('a split tender that no payment service takes has no findings', async () => {
  await addGiftCardService(railyard, shop)
  const gift_cards = [{ ...newGiftCard(), amount: 10_00 }]
  const { put, pay, paymentServiceId } = shop
  expect(await put(`/payment-services/${paymentServiceId}`, { active: false })).toMatchObject({ status: 200 })
  const { body } = await pay(30_00, { gift_cards })
  await put(`/payment-services/${paymentServiceId}`, { active: true })
  expect(body).toMatchObject({
    status: 'authorization_failed',
    amount: 30_00,
    gift_card_redemptions: [{ status: 'skipped' }],
  })
  expect((await verify(railyard.world.run)).findings).toEqual([])
})

test('operations without a journal position, of an earlier version, are ordered by their time', async () => {
  const { id, capture } = await shop.authorized(9_000_00)
  // this amount is declined
  await capture({ amount: 500_002 })
  expect((await capture({ amount: 10_00 })).body.status).toBe('capture_succeeded')
  await railyard.world.run(
    `update operations set journal_position = null where transaction_id = $1 and kind = 'capture' and status = 'approved'`,
    [id],
  )
  expect((await verify(railyard.world.run)).findings).toEqual([])
})

test.each([
  'amount',
  'authorized_amount',
  'captured_amount',
  'refunded_amount',
  'refund_reserved',
  'capture_reserved',
])('a change of %s by one is found', async (column) => {
  const set = (sign: '+' | '-') => `update transactions set ${column} = ${column} ${sign} 1 where id = $1`
  expect(await tampered(set('+'), set('-'), problems)).toContain(column)
})

test.each([
  ['settled_amount = settled_amount + 1', 'settled_amount = settled_amount - 1', 'settled_amount'],
  ['settled = true', 'settled = false', 'settled'],
  ['disputed = true', 'disputed = false', 'disputed'],
])('what no line of a report says (%s) is found', async (change, repair, problem) => {
  const set = (columns: string) => `update transactions set ${columns} where id = $1`
  expect(await tampered(set(change), set(repair), problems)).toEqual([problem])
})

test('a refund that is marked as settled without a report line is found', async () => {
  const set = (amount: number | null) =>
    `update operations set settled_amount = ${amount} where transaction_id = $1 and kind = 'refund'`
  expect(await tampered(set(5), set(null), problems)).toEqual(['settled_amount of a refund'])
})

test('a finding names the merchant account, the payment, the stored value and the computed one', async () => {
  const set = (sign: '+' | '-') =>
    `update transactions set captured_amount = captured_amount ${sign} 5 where id = $1`
  expect(await tampered(set('+'), set('-'), findings)).toContainEqual({
    merchant_account_id: shop.account,
    transaction_id: payment.id,
    problem: 'captured_amount',
    stored: '6005',
    computed: '6000',
  })
})

test.each([
  [
    'the amount of an operation',
    `effective_amount = effective_amount + 1`,
    `effective_amount = effective_amount - 1`,
    'operation: part of it took effect',
  ],
  ['the outcome of an operation', `status = 'failed'`, `status = 'approved'`, 'captured_amount'],
  ['the kind of an operation', `kind = 'refund'`, `kind = 'capture'`, 'captured_amount'],
])('a change of %s is found', async (_what, change, repair, problem) => {
  const [operation] = await railyard.world.run<{ id: string }>(
    `select id from operations where transaction_id = $1 and kind = 'capture'`,
    [payment.id],
  )
  const set = (what: string) =>
    `update operations set ${what} where transaction_id = $1 and id = '${operation?.id}'`
  expect(await tampered(set(change), set(repair), problems)).toContain(problem)
})

test('a second authorization of one payment is found', async () => {
  const copy = copyOf(
    'operations',
    `transaction_id = $1 and kind = 'authorize'`,
    `jsonb_build_object('id', '00000000-0000-4000-8000-000000000001', 'effective_amount', 0, 'amount', 0)`,
  )
  const remove = `delete from operations where transaction_id = $1 and id = '00000000-0000-4000-8000-000000000001'`
  expect(await tampered(copy, remove, problems)).toContain('approved authorizations (at most 1)')
})

test('an open operation that the transaction does not name is found', async () => {
  const set = (value: string) => `update transactions set active_operation_id = ${value} where id = $1`
  expect(await tampered(set(`'00000000-0000-4000-8000-000000000002'`), set('null'), problems)).toEqual([
    'operation under way',
  ])
})

test('a payment that stays in processing without an open operation is found', async () => {
  const set = (status: string) => `update transactions set status = '${status}' where id = $1`
  expect(await tampered(set('processing'), set('capture_succeeded'), problems)).toEqual([
    'status',
    'last event: status',
  ])
})

test('a payment without the event of its outcome is found', async () => {
  const move = (from: string, to: string) => moved('events', 'target_id = $1', `'${from}'`, `'${to}'`)
  expect(await tampered(move(shop.account, 'lost'), move('lost', shop.account), problems)).toEqual([
    'events of its transaction',
    'event of nothing',
    'event of nothing',
    'event of nothing',
  ])
  const forget = (count: string) => `update transactions set event_count = ${count} where id = $1`
  expect(await tampered(forget('0'), forget('3'), problems)).toEqual([
    'event of its outcome',
    'events of its transaction',
  ])
})

test('an event with a wrong sequence number is found', async () => {
  const number = (from: number, to: number) =>
    `update events set sequence = ${to} where target_id = $1 and sequence = ${from}`
  expect(await tampered(number(3, 4), number(4, 3), problems)).toEqual(['events of its transaction'])
})

test('an operation whose transaction has vanished is found', async () => {
  const move = (from: string, to: string) => moved('transactions', 'id = $1', `'${from}'`, `'${to}'`)
  expect(await tampered(move(shop.account, 'lost'), move('lost', shop.account), problems)).toContain(
    'operation without a transaction',
  )
})

test('a payment method that is still provisional when its payment is decided is found', async () => {
  const { body } = await shop.pay(10_00, { store: true })
  const method = body.payment_method.id
  const set = (provisional: boolean) =>
    railyard.world.run(`update payment_methods set provisional = ${provisional} where id = $1`, [method])
  const problem = 'provisional payment method without a payment under way'
  await set(true)
  // the payment's method is no longer provisional, so that no payment refers to this one
  expect((await verify(railyard.world.run)).findings).toEqual([
    {
      merchant_account_id: shop.account,
      transaction_id: method,
      problem,
      stored: method,
      computed: 'nothing',
    },
  ])
  await railyard.world.run(
    `update transactions set payment_method = payment_method || '{"provisional": true}' where id = $1`,
    [body.id],
  )
  expect((await verify(railyard.world.run)).findings).toMatchObject([{ transaction_id: body.id, problem }])
  await set(false)
  expect((await verify(railyard.world.run)).findings).toEqual([])
})

test('a payment method whose payment is under way may be provisional', async () => {
  await injectFaults(
    railyard,
    { operation: 'authorize', kind: 'lost' },
    { operation: 'close', kind: 'outage' },
  )
  await shop.pay(10_00, { store: true })
  const provisional = () => railyard.world.run('select id from payment_methods where provisional', [])
  expect(await provisional()).toHaveLength(1)
  expect(await verify(railyard.world.run)).toMatchObject({ undecided: 1, findings: [] })
  await recoverFully(railyard)
  expect(await provisional()).toEqual([])
})

test('an operation with an unknown outcome is counted and is no finding', async () => {
  await injectFaults(railyard, { operation: 'refund', kind: 'lost' })
  await payment.refund({ amount: 1_00 })
  expect(await verify(railyard.world.run)).toMatchObject({ undecided: 1, findings: [] })
  await recoverFully(railyard)
  expect(await verify(railyard.world.run)).toMatchObject({ undecided: 0, findings: [] })
})

describe('after corrections', () => {
  const captured = { status: 'capture_succeeded', authorized_amount: 10_00, captured_amount: 10_00 }
  const failed = { status: 'authorization_failed', authorized_amount: 0, captured_amount: 0 }
  const open = {
    authorized: async () => shop.authorized(10_00),
    captured: async () => shop.sold(10_00),
    declined: async () => shop.payment((await shop.pay(200001)).body.id),
    voided: async () => {
      const voided = await shop.authorized(10_00)
      await voided.void()
      return voided
    },
  }
  test.each([
    ['authorized', { amount: 12_00, authorized_amount: 12_00 }],
    ['authorized', { status: 'authorization_voided' }],
    ['authorized', failed],
    ['captured', { captured_amount: 4_00 }],
    ['captured', failed],
    ['captured', { status: 'capture_succeeded', captured_amount: 4_00 }],
    ['declined', { status: 'authorization_succeeded', amount: 10_00, authorized_amount: 10_00 }],
    ['declined', { ...captured, amount: 10_00 }],
    ['voided', captured],
    ['voided', { status: 'authorization_succeeded' }],
  ] as const)('of a payment that is %s (%j) nothing is found', async (state, correction) => {
    const corrected = await open[state]()
    expect(await corrected.correct(correction)).toMatchObject({ status: 200 })
    expect((await verify(railyard.world.run)).findings).toEqual([])
  })
})
