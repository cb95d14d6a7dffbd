import { randomUUID } from 'node:crypto'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { minimalLink, sendLink } from '../../test/support/domains/payment-links.ts'
import { payoutOf } from '../../test/support/domains/payouts.ts'
import {
  download,
  execute,
  linkTo,
  startWithoutReportRounds,
  transactionsReport,
} from '../../test/support/domains/reports.ts'
import { goTo, openWalletShop } from '../../test/support/domains/wallet.ts'
import { type Client, card, type TestRailyard } from '../../test/support/railyard.ts'
import { startReceiver, subscribe } from '../../test/support/receiver.ts'
import { roleIds } from '../../test/support/roles.ts'
import { openShop, type Shop } from '../../test/support/shop.ts'
import { auditChain } from '../accounts/audit-log/audit-seal.ts'
import { waitUntilReadable } from '../database/logs/event-log.ts'
import { verifyChain } from '../database/logs/verify-chain.ts'
import { journalChain } from '../operations/journal/journal-chain.ts'
import { verify } from '../verify/verify.ts'
import { claimBuyerErasure } from './buyer-erasure.store.ts'

let railyard: TestRailyard
let shop: Shop
beforeAll(async () => {
  railyard = await startWithoutReportRounds()
  shop = await openShop(railyard)
})
afterAll(() => railyard.close())

const ADA = 'Lovelace'
const billing_details = {
  first_name: 'Ada',
  last_name: ADA,
  email_address: `${ADA}@example.com`,
  address: { city: ADA, country: 'GB' },
}
const MINUTE = 60_000

/**
 * Runs the last pass, which begins a minute after the request: until then requests that read the buyer may
 * commit.
 */
async function runLastPass() {
  railyard.clock.advance(MINUTE + 1_000)
  await railyard.erasing.runOnce()
}

const createBuyer = async (client: Client = shop, more: object = {}) =>
  (
    await client.post('/buyers', {
      display_name: ADA,
      external_identifier: `${ADA}-${randomUUID()}`,
      billing_details,
      ...more,
    })
  ).body

const statusOf = async (id: string, client: Client = shop) => (await client.get(`/buyers/${id}/erasure`)).body

async function erase(id: string, client: Client = shop) {
  const answer = await client.post(`/buyers/${id}/erase`)
  expect(answer).toMatchObject({
    status: 202,
    body: { type: 'buyer-erasure', buyer_id: id, status: 'pending', completed_at: null },
  })
  await railyard.erasing.runOnce()
  await runLastPass()
  return statusOf(id, client)
}

const everythingOf = async (id: string, client: Client = shop) =>
  JSON.stringify(
    await Promise.all(
      ['', '/events', '/captures', '/refunds', '/actions'].map(
        async (path) => (await client.get(`/transactions/${id}${path}`)).body,
      ),
    ),
  )

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

test('an erasure waits for a payment that the buyer may still approve, and erases it once it is decided', async () => {
  const wallet = await openWalletShop(railyard)
  const buyer = await createBuyer(wallet)
  const payment = await wallet.asked(10_00, { buyer_id: buyer.id })
  expect(await erase(buyer.id, wallet)).toMatchObject({ status: 'pending', waiting: 1 })
  expect(await everythingOf(payment.id, wallet)).toContain(ADA)
  await goTo(await payment.buyer.approve())
  expect((await payment.read()).status).toBe('authorization_succeeded')
  const email = (await payment.read()).additional_identifiers.payer_email
  expect(email).toContain('@')
  railyard.clock.advance(6 * MINUTE)
  await railyard.erasing.runOnce()
  expect(await statusOf(buyer.id, wallet)).toMatchObject({ status: 'succeeded', waiting: 0 })
  const text = await everythingOf(payment.id, wallet)
  for (const personal of [ADA, email]) expect(text).not.toContain(personal)
  expect((await payment.capture()).body).toMatchObject({
    status: 'capture_succeeded',
    captured_amount: 10_00,
  })
})

test('personal data that is written to an erased payment later is erased, too', async () => {
  const buyer = await createBuyer()
  const payment = await shop.authorized(10_00, { buyer_id: buyer.id })
  await erase(buyer.id)
  await payment.correct({ metadata: { note: ADA } })
  await payment.capture({ airline: { passengers: [{ last_name: ADA }] } })
  expect(await everythingOf(payment.id)).toContain(ADA)
  await railyard.erasing.runOnce()
  expect(await everythingOf(payment.id)).not.toContain(ADA)
  expect(await payment.read()).toMatchObject({ status: 'capture_succeeded', metadata: null })
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

test('another process continues an erasure whose process dies', async () => {
  const buyer = await createBuyer()
  const payment = await shop.sold(10_00, { buyer_id: buyer.id })
  await shop.post(`/buyers/${buyer.id}/erase`)
  // the process that has claimed it dies
  expect((await claimBuyerErasure(railyard.world))?.buyer_id).toBe(buyer.id)
  await railyard.erasing.runOnce()
  expect(await everythingOf(payment.id)).toContain(ADA)
  railyard.clock.advance(3 * MINUTE)
  await railyard.erasing.runOnce()
  expect(await statusOf(buyer.id)).toMatchObject({ status: 'succeeded' })
  expect(await everythingOf(payment.id)).not.toContain(ADA)
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
  const feed = async () => JSON.stringify((await other.get('/events?limit=1000')).body.items)
  await railyard.sender.runOnce()
  expect(await lists()).toEqual([1, 1, 1, 1])
  expect(await feed()).toContain(ADA)
  expect(JSON.stringify(receiver.received.map(({ text }) => text))).toContain(ADA)
  await erase(buyer.id, other)
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

test('report files with personal data are erased, and the others stay', async () => {
  const buyer = await createBuyer()
  const payment = await shop.sold(10_00, { buyer_id: buyer.id })
  const personal = await execute(
    railyard,
    shop,
    transactionsReport({}, { fields: ['id', 'billing_details_last_name'] }),
  )
  const plain = await execute(railyard, shop, transactionsReport({}, { fields: ['id', 'amount'] }))
  expect(await download(shop, personal)).toContain(ADA)
  await erase(buyer.id)
  expect(await linkTo(shop, personal)).toMatchObject({
    status: 400,
    body: { message: expect.stringContaining('erased') },
  })
  expect(await download(shop, plain)).toContain('1000')
  // a new execution of the report does not show the erased data
  const again = await download(
    shop,
    await execute(railyard, shop, transactionsReport({}, { fields: ['id', 'billing_details_last_name'] })),
  )
  const line = again.split(/\r?\n/).find((each) => each.includes(payment.id))
  expect(line).toBeDefined()
  expect(line).not.toContain(ADA)
})

test('the metrics explorer does not find erased metadata', async () => {
  const buyer = await createBuyer()
  await shop.sold(10_00, { buyer_id: buyer.id, metadata: { note: ADA } })
  const count = async () => {
    const filter = encodeURIComponent(JSON.stringify({ note: ADA }))
    const { status, body } = await shop.get(
      `/metrics-explorer/authorization/metrics/transactions/modules/currency?datetime_range=P1D/now&metadata=${filter}`,
    )
    expect(status).toBe(200)
    return body
  }
  await railyard.insights.runOnce()
  const before = await count()
  await erase(buyer.id)
  expect(await count()).not.toEqual(before)
})

test('the chains of the journal and the audit log are still valid after an erasure', async () => {
  const buyer = await createBuyer()
  const payment = await shop.sold(10_00, { buyer_id: buyer.id })
  await payment.refund({ amount: 1_00 })
  const payout = await shop.post(
    '/payouts',
    payoutOf(shop.paymentServiceId, { buyer: undefined, buyer_id: buyer.id }),
  )
  expect(payout).toMatchObject({ status: 201 })
  await payment.correct({ captured_amount: 9_00, metadata: { note: ADA } })
  await waitUntilReadable(railyard.world)
  await railyard.sealing.runOnce()
  const journal = () => verifyChain(railyard.world.run, railyard.world.cipher, journalChain)
  expect(await journal()).toMatchObject({ unsealed: 0, findings: [] })
  await erase(buyer.id)
  expect((await journal()).findings).toEqual([])
  await railyard.sealing.runOnce()
  expect((await journal()).findings).toEqual([])
  expect((await verifyChain(railyard.world.run, railyard.world.cipher, auditChain)).findings).toEqual([])
  expect((await verify(railyard.world.run)).findings).toEqual([])
  const entries = (await shop.get('/audit-logs?limit=2')).body.items
  expect(entries).toMatchObject([
    { action: 'deleted', resource: { type: 'buyer', id: buyer.id, name: buyer.id } },
    { action: 'created', resource: { type: 'buyer-erasure', id: buyer.id } },
  ])
})

describe('the erasure of a transaction', () => {
  test('a transaction whose buyer was never stored is erased at once', async () => {
    const payment = await shop.sold(10_00, { buyer: { billing_details }, metadata: { note: ADA } })
    const path = `/transactions/${payment.id}/erasure`
    expect((await shop.get(path)).status).toBe(404)
    const answer = await shop.post(`/transactions/${payment.id}/erase`)
    const erasure = {
      type: 'transaction-erasure',
      transaction_id: payment.id,
      merchant_account_id: shop.account,
      status: 'succeeded',
    }
    expect(answer).toMatchObject({ status: 202, body: erasure })
    expect((await shop.get(path)).body).toEqual(erasure)
    expect(await payment.read()).toMatchObject({
      status: 'capture_succeeded',
      captured_amount: 10_00,
      buyer: null,
      metadata: null,
    })
    expect(await everythingOf(payment.id)).not.toContain(ADA)
    expect((await shop.post(`/transactions/${payment.id}/erase`)).body).toEqual(erasure)
  })

  test('the erasure of a transaction waits while an operation is under way', async () => {
    const wallet = await openWalletShop(railyard)
    const payment = await wallet.asked(10_00, { buyer: { billing_details } })
    expect((await wallet.post(`/transactions/${payment.id}/erase`)).body.status).toBe('pending')
    await payment.cancel()
    await railyard.erasing.runOnce()
    expect((await wallet.get(`/transactions/${payment.id}/erasure`)).body.status).toBe('succeeded')
    expect(await everythingOf(payment.id, wallet)).not.toContain(ADA)
  })

  test('the erasure of a transaction includes the payment that renewed its authorization', async () => {
    const payment = await shop.authorized(10_00, { buyer: { billing_details }, metadata: { note: ADA } })
    railyard.clock.advance(8 * 24 * 60 * MINUTE)
    const renewed = (await payment.capture({ reauthorize_if_authorization_expired: true })).body
    expect(renewed).toMatchObject({ reauthorized_from_transaction_id: payment.id, metadata: { note: ADA } })
    expect((await shop.post(`/transactions/${payment.id}/erase`)).body.status).toBe('succeeded')
    await railyard.erasing.runOnce()
    expect((await shop.get(`/transactions/${renewed.id}/erasure`)).body.status).toBe('succeeded')
    expect(await everythingOf(renewed.id)).not.toContain(ADA)
  })

  test.each(['a guest', 'a stored buyer'])(
    'the erasure of a transaction includes the events of its payment link, for %s',
    async (whose) => {
      const other = await openShop(railyard)
      const buyer =
        whose === 'a guest' ? { buyer: { billing_details } } : { buyer_id: (await createBuyer(other)).id }
      const link = await sendLink(railyard, other, { ...minimalLink, ...buyer, metadata: { note: ADA } })
      await link.pay()
      const { id } = (await other.get('/transactions')).body.items[0]
      const countPersonalEvents = async () => {
        const rows = await railyard.world.db
          .selectFrom('events')
          .selectAll()
          .where('merchant_account_id', '=', other.account)
          .execute()
        return rows.filter(
          ({ name, target }) => name.startsWith('payment-link.') && JSON.stringify(target).includes(ADA),
        ).length
      }
      expect(await countPersonalEvents()).toBe(3)
      expect((await other.post(`/transactions/${id}/erase`)).body.status).toBe('succeeded')
      expect(await countPersonalEvents()).toBe(0)
    },
  )

  test('the erasure of an unknown transaction is a 404', async () => {
    expect((await shop.post(`/transactions/${randomUUID()}/erase`)).status).toBe(404)
  })
})
