import { expect, test } from 'vitest'
import { readEvents } from '../../../test/support/events.ts'
import type { Answer } from '../../../test/support/railyard.ts'
import { invalidFields, type Payment } from '../../../test/support/shop.ts'
import { startShop } from '../../../test/support/start-shop.ts'
import type { Event } from '../../events/event.schema.ts'
import { intendFollowUp } from '../../operations/journal/functions/intend-follow-up.sql.ts'

const { railyard, shop } = await startShop()

/** Adds a line to the payment service's report and books it; returns the transaction. */
async function report(
  { id }: Payment,
  event: 'disputed' | 'dispute_reversed' | 'settled',
  amount: number,
): Promise<Answer['body']> {
  const answer = await shop.post(`/sandbox/transactions/${id}/simulate`, { event, amount })
  expect(answer).toMatchObject({ status: 200 })
  return answer.body
}

/** The events of a payment, and of its disputes alone. */
async function eventsOf({ id }: Payment): Promise<{ all: Event[]; disputes: Event[] }> {
  const all = (await readEvents(railyard, shop)).filter(({ target }: Event) => target.id === id)
  return { all, disputes: all.filter(({ name }) => name.includes('dispute')) }
}

test('a refund leaves what a chargeback has taken, and one beyond it is refused with the chargeback’s id', async () => {
  const payment = await shop.sold(100_00)
  expect(await payment.read()).toMatchObject({ disputed: false, disputed_amount: 0 })
  expect(await report(payment, 'disputed', 60_00)).toMatchObject({ disputed: true, disputed_amount: 60_00 })
  const [chargeback] = (await shop.get(`/transactions/${payment.id}/chargebacks`)).body.items
  const refused = await payment.refund({ amount: 40_01 })
  expect(refused).toMatchObject(invalidFields('/amount'))
  expect(refused.body.details[0].message).toContain(`(4000): 6000 is disputed (chargeback ${chargeback.id}`)
  expect(await payment.refund()).toMatchObject({ status: 201, body: { amount: 40_00, status: 'succeeded' } })
  for (const body of [{}, { amount: 1 }]) {
    const { status, body: answer } = await payment.refund(body)
    expect({ status, message: answer.details[0].message }).toEqual({
      status: 400,
      message: expect.stringContaining(chargeback.id),
    })
  }
  expect(await payment.refundAll()).toMatchObject(invalidFields('/amount'))
})

test('disputed money is refunded only with force and a reason, and the audit log has both', async () => {
  const payment = await shop.sold(100_00)
  await report(payment, 'disputed', 100_00)
  expect(await payment.refund({ amount: 30_00, force: true })).toMatchObject(invalidFields('/reason'))
  expect(await payment.refund({ amount: 30_00, reason: 'goodwill' })).toMatchObject(invalidFields('/amount'))
  expect(await payment.refund({ amount: 30_00, force: false, reason: 'goodwill' })).toMatchObject(
    invalidFields('/amount'),
  )
  const { status, body: refund } = await payment.refund({ amount: 30_00, force: true, reason: 'goodwill' })
  expect({ status, refund }).toMatchObject({
    status: 201,
    refund: { amount: 30_00, status: 'succeeded', reason: 'goodwill' },
  })
  expect(await payment.refundAll({ force: true, reason: 'agreed with the buyer' })).toMatchObject({
    status: 201,
    body: { items: [{ amount: 70_00 }] },
  })
  expect(await payment.read()).toMatchObject({ refunded_amount: 100_00, disputed_amount: 100_00 })
  // even force refunds no more than was captured
  expect(await payment.refund({ amount: 1, force: true, reason: 'goodwill' })).toMatchObject(
    invalidFields('/amount'),
  )
  const { items } = (await shop.get('/audit-logs?limit=20')).body
  const entries = items.map(({ action, resource }: { action: string; resource: object }) => ({
    action,
    ...resource,
  }))
  expect(entries).toContainEqual({ action: 'created', type: 'refund', id: refund.id, name: refund.id })
  for (const reason of ['goodwill', 'agreed with the buyer'])
    expect(entries).toContainEqual({
      action: 'updated',
      type: 'transaction',
      id: payment.id,
      name: `refund forced: ${reason}`,
    })
})

test('money that a chargeback reversal returned can be refunded again', async () => {
  const payment = await shop.sold(50_00)
  await report(payment, 'disputed', 50_00)
  expect((await payment.refund({ amount: 1 })).status).toBe(400)
  expect(await report(payment, 'dispute_reversed', 20_00)).toMatchObject({
    disputed: true,
    disputed_amount: 30_00,
  })
  expect(await payment.refund()).toMatchObject({ status: 201, body: { amount: 20_00 } })
})

test('a chargeback after the whole refund is booked and announced, and nothing more can be refunded', async () => {
  const payment = await shop.sold(80_00)
  await payment.refund({ amount: 80_00 })
  expect(await report(payment, 'disputed', 80_00)).toMatchObject({
    refunded_amount: 80_00,
    disputed_amount: 80_00,
  })
  expect((await eventsOf(payment)).disputes).toMatchObject([
    { name: 'transaction.disputed', target: { refunded_amount: 80_00, disputed_amount: 80_00 } },
  ])
  expect((await payment.refund()).status).toBe(400)
})

test('a dispute, its reversal and another chargeback of the same money have one event each, however often the report is read', async () => {
  const payment = await shop.sold(90_00)
  await report(payment, 'disputed', 70_00)
  await report(payment, 'dispute_reversed', 70_00)
  await report(payment, 'disputed', 70_00)
  // each report repeats the lines of the report before it
  await report(payment, 'settled', 90_00)
  // a chargeback beyond what the reversal returned is another dispute
  await report(payment, 'disputed', 5_00)
  const { all, disputes } = await eventsOf(payment)
  expect(
    disputes.map(({ name, target }) => [name, 'disputed_amount' in target && target.disputed_amount]),
  ).toEqual([
    ['transaction.disputed', 70_00],
    ['transaction.dispute-won', 0],
    ['transaction.dispute-lost', 70_00],
    ['transaction.disputed', 75_00],
  ])
  expect(all.map(({ sequence }) => sequence)).toEqual(all.map((_, index) => index + 1))
})

test('a refund’s reservation sees a chargeback that is booked after the rules were applied', async () => {
  const payment = await shop.sold(60_00)
  const { world } = railyard
  const { run } = world
  world.run = async (text, values) => {
    if (text === intendFollowUp.refund.text) {
      world.run = run
      await report(payment, 'disputed', 60_00)
    }
    return run(text, values)
  }
  const refused = await payment.refund({ amount: 60_00 })
  expect(world.run).toBe(run)
  expect(refused).toMatchObject(invalidFields('/amount'))
  expect(await payment.read()).toMatchObject({ refunded_amount: 0, disputed_amount: 60_00 })
})

test('concurrent refunds never reserve money that a chargeback has taken by then', async () => {
  for (let round = 0; round < 6; round++) {
    const payment = await shop.sold(100_00)
    const refunds = Array.from({ length: 5 }, () => payment.refund({ amount: 30_00 }))
    const [, ...answers] = await Promise.all([report(payment, 'disputed', 50_00), ...refunds])
    const succeeded = answers.filter(({ status }) => status === 201).length
    for (const { status } of answers) expect([201, 400]).toContain(status)
    const { refunded_amount, disputed_amount } = await payment.read()
    expect({ refunded_amount, disputed_amount }).toEqual({
      refunded_amount: succeeded * 30_00,
      disputed_amount: 50_00,
    })
    expect(refunded_amount).toBeLessThanOrEqual(100_00)
    const left = Math.max(0, 100_00 - 50_00 - refunded_amount)
    expect((await payment.refund({ amount: left + 1 })).status).toBe(400)
    expect(await payment.refund()).toMatchObject(
      left > 0 ? { status: 201, body: { amount: left } } : { status: 400 },
    )
  }
})
