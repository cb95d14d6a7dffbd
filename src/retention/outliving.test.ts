import { expect, onTestFinished, test, vi } from 'vitest'
import { cartOf, openAgentPlatform, pricingUrl } from '../../test/support/domains/agentic-commerce.ts'
import { ADA, billing_details, MINUTE } from '../../test/support/domains/erasure.ts'
import { sendLink } from '../../test/support/domains/payment-links.ts'
import { payoutOf } from '../../test/support/domains/payouts.ts'
import { download, execute, linkTo, transactionsReport } from '../../test/support/domains/reports.ts'
import {
  cutNow,
  DAY_MS,
  KEPT_MS,
  retire,
  seal,
  sendWebhooks,
  signedInAgain,
  startOldRailyard,
  verifyFindings,
} from '../../test/support/domains/retention.ts'
import { card } from '../../test/support/railyard.ts'
import { startReceiver, subscribe } from '../../test/support/receiver.ts'
import { searchDatabase } from '../../test/support/search-database.ts'
import { openShop } from '../../test/support/shop.ts'
import { runDueErasures } from '../privacy/run-erasures.ts'
import { makeReports } from '../reports/executions/make-reports.ts'

vi.setConfig({ testTimeout: 300_000 })

test('once its payment is retired, a paid link and a checkout of an AI agent have nothing of the buyer', async () => {
  const railyard = await startOldRailyard()
  onTestFinished(() => railyard.close())
  const shop = await openShop(railyard)
  const link = await sendLink(railyard, shop, { buyer: { billing_details }, metadata: { note: ADA } })
  await link.pay()
  await shop.put('/agentic-seller', { pricing_url: await pricingUrl() })
  const platform = openAgentPlatform(railyard, shop)
  const checkout = await platform.created(cartOf({ metadata: { note: ADA } }))
  expect(await platform.complete(checkout, await platform.tokenFor(checkout))).toMatchObject({ status: 200 })
  // the payments have not changed within a moment of the bound
  railyard.clock.advance(DAY_MS)
  await cutNow(railyard)
  railyard.clock.advance(KEPT_MS)
  expect(await searchDatabase(railyard.world, [ADA, 'jane@example.com'])).not.toEqual([])
  expect(await retire(railyard)).toBe(5)
  expect(await searchDatabase(railyard.world, [ADA, 'jane@example.com'])).toEqual([])
  const client = await railyard.client({ account: shop.account })
  expect(await client.get(`/payment-links/${link.id}`)).toMatchObject({
    status: 200,
    body: { status: 'completed' },
  })
  expect(await verifyFindings(railyard)).toEqual([])
})

test('once a guest’s payout is retired, its later events, their deliveries and its stored answer have nothing of the guest', async () => {
  const railyard = await startOldRailyard({ IDEMPOTENCY_RETENTION: '3650' })
  onTestFinished(() => railyard.close())
  const receiver = await startReceiver()
  onTestFinished(() => receiver.close())
  receiver.answers((_, reply) => void reply.writeHead(500).end(`${ADA} is not known`))
  let shop = await openShop(railyard)
  await shop.sold(10_00)
  // the provider decides it a minute later
  const body = payoutOf(shop.paymentServiceId, {
    amount: 53_00_03,
    buyer: { display_name: ADA, billing_details },
  })
  const payout = await shop.post('/payouts', body, { 'idempotency-key': 'payout' })
  expect(payout).toMatchObject({ status: 201, body: { status: 'pending' } })
  railyard.clock.advance(DAY_MS)
  await cutNow(railyard)
  railyard.clock.advance(2 * DAY_MS)
  shop = await signedInAgain(railyard, shop)
  await subscribe(railyard, shop.account, receiver)
  const synced = await shop.post(`/payouts/${payout.body.id}/sync`)
  expect(synced.body.status).toBe('succeeded')
  await seal(railyard)
  await sendWebhooks(railyard)
  // the delivery is given up
  railyard.clock.advance(8 * DAY_MS)
  await sendWebhooks(railyard)
  railyard.clock.advance(KEPT_MS)
  const tables = async () =>
    new Set((await searchDatabase(railyard.world, [ADA])).map(({ table }) => table.replace(/_p\d+$/, '')))
  expect(await tables()).toEqual(new Set(['events', 'idempotency_keys', 'payouts', 'webhook_deliveries']))
  expect(await retire(railyard)).toBe(5)
  expect(await tables()).toEqual(new Set())
  shop = await signedInAgain(railyard, shop)
  expect((await shop.get('/events')).body.items).toMatchObject([
    { name: 'payout.succeeded', target: { id: payout.body.id, buyer: { display_name: null } } },
  ])
  expect(await shop.post('/payouts', body, { 'idempotency-key': 'payout' })).toMatchObject({
    status: 201,
    body: { id: payout.body.id, amount: 53_00_03 },
  })
  expect(await verifyFindings(railyard)).toEqual([])
})

test('more retired payments than one statement reads leave no personal data in their later events', async () => {
  const railyard = await startOldRailyard()
  onTestFinished(() => railyard.close())
  let shop = await openShop(railyard)
  const ids: string[] = []
  for (let count = 0; count < 101; count++) ids.push((await shop.sold(10_00, { metadata: { note: ADA } })).id)
  railyard.clock.advance(DAY_MS)
  await cutNow(railyard)
  shop = await signedInAgain(railyard, shop)
  for (const id of ids)
    expect((await shop.post(`/transactions/${id}/refunds`, { amount: 10_00 })).status).toBe(201)
  await seal(railyard)
  railyard.clock.advance(KEPT_MS)
  const eventsOf = async () =>
    (await searchDatabase(railyard.world, [ADA])).filter(({ table }) => table.startsWith('events'))
  expect(await eventsOf()).not.toEqual([])
  expect(await retire(railyard)).toBe(5)
  expect(await searchDatabase(railyard.world, [ADA])).toEqual([])
})

test('once a payment is retired, its idempotency key replays an answer without personal data', async () => {
  const railyard = await startOldRailyard({ IDEMPOTENCY_RETENTION: '3650' })
  onTestFinished(() => railyard.close())
  let shop = await openShop(railyard)
  const body = {
    amount: 10_00,
    currency: 'EUR',
    payment_method: card,
    buyer: { billing_details },
    metadata: { note: ADA },
  }
  const paid = await shop.post('/transactions', body, { 'idempotency-key': 'order 7' })
  expect(paid.status).toBe(201)
  railyard.clock.advance(DAY_MS)
  await cutNow(railyard)
  railyard.clock.advance(KEPT_MS)
  expect(await retire(railyard)).toBe(5)
  expect(await searchDatabase(railyard.world, [ADA])).toEqual([])
  shop = await signedInAgain(railyard, shop)
  expect(await shop.post('/transactions', body, { 'idempotency-key': 'order 7' })).toMatchObject({
    status: 201,
    body: { id: paid.body.id, status: paid.body.status, amount: 10_00, buyer: null, metadata: null },
  })
  expect(await verifyFindings(railyard)).toEqual([])
})

test('the erasure of a buyer whose payments are all retired erases the report files with personal data', async () => {
  const started = await startOldRailyard()
  const railyard = {
    ...started,
    reports: { ...started.reports, runOnce: () => makeReports(started.world) },
  }
  onTestFinished(() => railyard.close())
  let shop = await openShop(railyard)
  const buyer = (await shop.post('/buyers', { external_identifier: ADA })).body.id
  await shop.sold(10_00, { buyer_id: buyer })
  await cutNow(railyard)
  railyard.clock.advance(KEPT_MS - DAY_MS)
  shop = await signedInAgain(railyard, shop)
  const reportOf = (fields: string[]) => execute(railyard, shop, transactionsReport({}, { fields }))
  const personal = await reportOf(['id', 'buyer_external_identifier'])
  const plain = await reportOf(['id', 'amount'])
  expect(await download(shop, personal)).toContain(ADA)
  railyard.clock.advance(DAY_MS)
  shop = await signedInAgain(railyard, shop)
  expect(await retire(railyard)).toBe(5)
  expect(await shop.post(`/buyers/${buyer}/erase`)).toMatchObject({ status: 202 })
  await runDueErasures(railyard.world)
  railyard.clock.advance(2 * MINUTE)
  await runDueErasures(railyard.world)
  expect((await shop.get(`/buyers/${buyer}/erasure`)).body.status).toBe('succeeded')
  expect(await linkTo(shop, personal)).toMatchObject({
    status: 400,
    body: { message: expect.stringContaining('erased') },
  })
  expect(await download(shop, plain)).toContain('1000')
  expect(await searchDatabase(railyard.world, [ADA])).toEqual([])
})
