import { randomUUID } from 'node:crypto'
import { describe, expect, test } from 'vitest'
import { ADA, billing_details, erasureActions, MINUTE } from '../../test/support/domains/erasure.ts'
import { minimalLink, sendLink } from '../../test/support/domains/payment-links.ts'
import { payoutOf } from '../../test/support/domains/payouts.ts'
import { startWithoutReportRounds } from '../../test/support/domains/reports.ts'
import { readEvents } from '../../test/support/events.ts'
import { card } from '../../test/support/railyard.ts'
import { startReceiver, subscribe } from '../../test/support/receiver.ts'
import { roleIds } from '../../test/support/roles.ts'
import { openShop } from '../../test/support/shop.ts'

const railyard = await startWithoutReportRounds()
const shop = await openShop(railyard)
const { createBuyer, erase, everythingOf } = erasureActions(railyard, shop)

describe('the erasure of a buyer', () => {
  test('an erased buyer is gone, and of their payments amounts, statuses and references are left', async () => {
    const buyer = await createBuyer()
    const payment = await shop.sold(10_00, {
      buyer_id: buyer.id,
      external_identifier: 'order-7',
      metadata: { note: ADA },
      buyer: { shipping_details: { last_name: ADA } },
    })
    await payment.refund({ amount: 1_00, reason: ADA, external_identifier: 'refund-7' })
    const before = await payment.read()
    expect(await erase(buyer.id)).toMatchObject({
      status: 'succeeded',
      waiting: 0,
      completed_at: expect.any(String),
    })
    expect((await shop.get(`/buyers/${buyer.id}`)).status).toBe(404)
    const after = await payment.read()
    expect(after).toEqual({
      ...before,
      buyer: { ...before.buyer, display_name: null, external_identifier: null, billing_details: null },
      shipping_details: null,
      metadata: null,
      payment_method: { ...before.payment_method, fingerprint: null },
      updated_at: expect.any(String),
    })
    expect(Date.parse(after.updated_at)).toBeGreaterThan(Date.parse(before.updated_at))
    expect(await everythingOf(payment.id)).not.toContain(ADA)
    expect((await payment.refunds())[0]).toMatchObject({
      amount: 1_00,
      status: 'succeeded',
      external_identifier: 'refund-7',
      reason: null,
    })
  })

  test('the payment of an erased buyer can still be refunded', async () => {
    const buyer = await createBuyer()
    const payment = await shop.sold(10_00, { buyer_id: buyer.id })
    await erase(buyer.id)
    expect(await payment.refund({ amount: 4_00 })).toMatchObject({
      status: 201,
      body: { status: 'succeeded', amount: 4_00 },
    })
  })

  test('the events of an erased buyer have the buyer’s id and no personal data', async () => {
    const buyer = await createBuyer()
    await shop.post(`/buyers/${buyer.id}/shipping-details`, { last_name: ADA })
    await shop.put(`/buyers/${buyer.id}`, { display_name: `${ADA} II` })
    const payment = await shop.sold(10_00, { buyer_id: buyer.id, metadata: { note: ADA } })
    await erase(buyer.id)
    const rows = await railyard.world.db
      .selectFrom('events')
      .selectAll()
      .where('merchant_account_id', '=', shop.account)
      .orderBy('position')
      .execute()
    const ofBuyer = rows.filter(({ target_id }) => target_id === buyer.id)
    expect(ofBuyer.map(({ name }) => name)).toEqual(['buyer.created', 'buyer.updated', 'buyer.deleted'])
    const anonymous = {
      type: 'buyer',
      id: buyer.id,
      display_name: null,
      external_identifier: null,
      billing_details: null,
      account_number: null,
    }
    for (const { target } of ofBuyer) expect(target).toMatchObject(anonymous)
    expect(rows.filter(({ target_id }) => target_id === payment.id).length).toBeGreaterThan(0)
    expect(
      JSON.stringify(rows.filter(({ target_id }) => [buyer.id, payment.id].includes(target_id))),
    ).not.toContain(ADA)
  })

  test('an erased buyer has no stored payment methods, and the links cannot be paid', async () => {
    const buyer = await createBuyer()
    const method = (
      await shop.post('/payment-methods', { ...card, buyer_id: buyer.id, external_identifier: `${ADA}-card` })
    ).body
    const open = await sendLink(railyard, shop, {
      buyer_id: buyer.id,
      merchant_message: `Dear ${ADA}`,
      metadata: { note: ADA },
    })
    const paid = await sendLink(railyard, shop, {
      ...minimalLink,
      buyer: { external_identifier: buyer.external_identifier, billing_details },
    })
    await paid.pay()
    await erase(buyer.id)
    expect((await shop.get(`/payment-methods/${method.id}`)).status).toBe(404)
    expect(await open.read()).toMatchObject({
      status: 'expired',
      buyer_id: buyer.id,
      merchant_message: null,
      metadata: null,
    })
    expect(await paid.read()).toMatchObject({ status: 'completed', buyer: null })
    expect(JSON.stringify([await open.read(), await paid.read()])).not.toContain(ADA)
  })

  test('the checkout sessions of an erased buyer are deleted, by the id and by the external identifier', async () => {
    const buyer = await createBuyer()
    const other = await createBuyer()
    const open = async (values: object) =>
      (await shop.post('/checkout/sessions', { metadata: { note: ADA }, ...values })).body.id
    const byId = await open({ buyer_id: buyer.id, buyer: { billing_details } })
    const byName = await open({ buyer: { external_identifier: buyer.external_identifier } })
    const ofOther = await open({ buyer_id: other.id })
    await erase(buyer.id)
    const statuses = await Promise.all(
      [byId, byName, ofOther].map(async (id) => (await shop.get(`/checkout/sessions/${id}`)).status),
    )
    expect(statuses).toEqual([404, 404, 200])
  })

  test('an erased buyer’s personal data is removed from payouts', async () => {
    const buyer = await createBuyer()
    const payout = (
      await shop.post('/payouts', payoutOf(shop.paymentServiceId, { buyer: undefined, buyer_id: buyer.id }))
    ).body
    await erase(buyer.id)
    const after = (await shop.get(`/payouts/${payout.id}`)).body
    expect(after).toMatchObject({
      status: payout.status,
      amount: payout.amount,
      buyer: { id: buyer.id, billing_details: null },
    })
    expect(JSON.stringify(after)).not.toContain(ADA)
  })

  test('the erasure of a buyer includes the payments of guests with the same external identifier, and no others', async () => {
    const buyer = await createBuyer()
    const guest = await shop.sold(10_00, {
      buyer: { external_identifier: buyer.external_identifier, billing_details },
    })
    const other = await shop.sold(10_00, {
      buyer: { external_identifier: `${buyer.external_identifier}-2`, billing_details },
    })
    await erase(buyer.id)
    expect((await guest.read()).buyer).toBeNull()
    expect((await other.read()).buyer).toMatchObject({ billing_details: { last_name: ADA } })
  })

  test('a buyer that was deleted before can be erased', async () => {
    const buyer = await createBuyer()
    const payment = await shop.sold(10_00, { buyer_id: buyer.id })
    await shop.delete(`/buyers/${buyer.id}`)
    expect(await everythingOf(payment.id)).toContain(ADA)
    expect(await erase(buyer.id)).toMatchObject({ status: 'succeeded' })
    expect(await everythingOf(payment.id)).not.toContain(ADA)
  })

  test('a buyer without payments that was deleted before can be erased', async () => {
    const buyer = await createBuyer()
    await shop.delete(`/buyers/${buyer.id}`)
    expect(await erase(buyer.id)).toMatchObject({ status: 'succeeded' })
  })

  test('a buyer can be erased again', async () => {
    const buyer = await createBuyer()
    await erase(buyer.id)
    expect(await erase(buyer.id)).toMatchObject({ status: 'succeeded' })
  })

  test('the erasure of an unknown buyer, or of another account’s, is a 404', async () => {
    const stranger = await railyard.merchant()
    const buyer = await createBuyer()
    for (const answer of [
      await shop.post(`/buyers/${randomUUID()}/erase`),
      await stranger.post(`/buyers/${buyer.id}/erase`),
    ])
      expect(answer.status).toBe(404)
    expect((await shop.get(`/buyers/${buyer.id}/erasure`)).status).toBe(404)
    expect((await shop.get(`/buyers/${buyer.id}`)).body.display_name).toBe(ADA)
  })
})

test('erasing needs the scope erasures.write: a key for processing cannot erase', async () => {
  const buyer = await createBuyer()
  const payment = await shop.sold(10_00)
  const key = await railyard.client({
    account: shop.account,
    roleIds: roleIds('processing'),
    scopes: ['*.read', '*.write'],
  })
  expect((await key.post(`/buyers/${buyer.id}/erase`)).status).toBe(403)
  expect((await key.post(`/transactions/${payment.id}/erase`)).status).toBe(403)
})

test('an idempotent replay after the erasure answers without the erased data', async () => {
  const buyer = await createBuyer()
  const headers = { 'idempotency-key': randomUUID() }
  const refused = { 'idempotency-key': randomUUID() }
  const body = {
    amount: 10_00,
    currency: 'EUR',
    payment_method: card,
    buyer_id: buyer.id,
    metadata: { note: ADA },
  }
  const first = await shop.post('/transactions', body, headers)
  // no payment service takes this currency, so there is no operation that would name the key
  const refusedPayment = await shop.post('/transactions', { ...body, currency: 'CHF' }, refused)
  expect(refusedPayment.body.status).toBe('authorization_failed')
  await erase(buyer.id)
  for (const [again, original] of [
    [await shop.post('/transactions', body, headers), first],
    [await shop.post('/transactions', { ...body, currency: 'CHF' }, refused), refusedPayment],
  ] as const) {
    expect(again).toMatchObject({
      status: 201,
      body: { id: original.body.id, status: original.body.status, amount: 10_00 },
    })
    expect(JSON.stringify(again.body)).not.toContain(ADA)
  }
})

test('an erased buyer is in no list, no event of the feed and no webhook that is delivered later', async () => {
  const other = await openShop(railyard)
  const receiver = await startReceiver()
  receiver.answers(500)
  await subscribe(railyard, other.account, receiver)
  const buyer = await createBuyer(other)
  const payment = await other.sold(10_00, { buyer_id: buyer.id, metadata: { note: ADA } })
  await payment.refund({ amount: 1_00, reason: ADA })
  const lists = () =>
    Promise.all(
      [
        `buyer_search=${ADA}`,
        `buyer_email_address=${ADA}@example.com`,
        `buyer_external_identifier=${buyer.external_identifier}`,
        `metadata=${encodeURIComponent(JSON.stringify({ note: ADA }))}`,
      ].map(async (filter) => (await other.get(`/transactions?${filter}`)).body.items.length),
    )
  const feed = async () => JSON.stringify(await readEvents(railyard, other))
  await railyard.sender.runOnce()
  expect(await lists()).toEqual([1, 1, 1, 1])
  expect(await feed()).toContain(ADA)
  expect(JSON.stringify(receiver.received.map(({ text }) => text))).toContain(ADA)
  await erase(buyer.id, other)
  // the erasure advanced the clock, so that deliveries are tried again
  await railyard.sender.runOnce()
  receiver.received.splice(0)
  receiver.answers(200)
  railyard.clock.advance(60 * MINUTE)
  await railyard.sender.runOnce()
  expect(await lists()).toEqual([0, 0, 0, 0])
  expect(await feed()).not.toContain(ADA)
  expect(receiver.received.map(({ event }) => event.target.id)).toContain(payment.id)
  expect(JSON.stringify(receiver.received.map(({ text }) => text))).not.toContain(ADA)
  await receiver.close()
})
