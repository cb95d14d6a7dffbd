import { sql } from 'kysely'
import { expect, onTestFinished, test, vi } from 'vitest'
import { ADA, erasureActions, MINUTE } from '../../test/support/domains/erasure.ts'
import { sendLink } from '../../test/support/domains/payment-links.ts'
import { payoutOf } from '../../test/support/domains/payouts.ts'
import {
  download,
  execute,
  linkTo,
  startWithoutReportRounds,
  transactionsReport,
} from '../../test/support/domains/reports.ts'
import { goTo, openWalletShop } from '../../test/support/domains/wallet.ts'
import { updateInsights } from '../../test/support/insights.ts'
import { startReceiver, subscribe } from '../../test/support/receiver.ts'
import { openShop } from '../../test/support/shop.ts'
import { auditChain } from '../accounts/audit-log/audit-seal.ts'
import { waitUntilReadable } from '../database/logs/event-log.ts'
import { verifyChain } from '../database/logs/verify-chain.ts'
import { journalChain } from '../operations/journal/journal-chain.ts'
import { verify } from '../verify/verify.ts'
import { claimBuyerErasure } from './buyer-erasure.store.ts'

const railyard = await startWithoutReportRounds()
const shop = await openShop(railyard)
const { createBuyer, statusOf, erase, everythingOf } = erasureActions(railyard, shop)

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

test('a change by a process whose clock is behind the erasure’s is erased, too', async () => {
  const payment = await shop.authorized(10_00, { metadata: { note: ADA } })
  expect((await shop.post(`/transactions/${payment.id}/erase`)).body.status).toBe('succeeded')
  railyard.clock.advance(-10_000)
  await payment.correct({ metadata: { note: ADA } })
  railyard.clock.advance(10_000)
  expect((await shop.get(`/transactions/${payment.id}/erasure`)).body.status).toBe('pending')
  await railyard.erasing.runOnce()
  expect((await shop.get(`/transactions/${payment.id}/erasure`)).body.status).toBe('succeeded')
  expect(await everythingOf(payment.id)).not.toContain(ADA)
})

test('a change in the millisecond of the erasure is erased, too', async () => {
  const payment = await shop.authorized(10_00, { metadata: { note: ADA } })
  const now = railyard.clock.now()
  const clock = vi.spyOn(railyard.clock, 'now').mockReturnValue(now)
  onTestFinished(() => clock.mockRestore())
  await shop.post(`/transactions/${payment.id}/erase`)
  await payment.correct({ metadata: { note: ADA } })
  await railyard.erasing.runOnce()
  expect(await everythingOf(payment.id)).not.toContain(ADA)
})

test('the answer of a receiver that repeats personal data is not stored when it comes after the erasure', async () => {
  const receiver = await startReceiver()
  onTestFinished(() => receiver.close())
  const { promise: isErased, resolve: erased } = Promise.withResolvers<void>()
  receiver.answers(async ({ text }, reply) => {
    await isErased
    reply.writeHead(200).end(text.match(ADA)?.[0] ?? 'nothing personal')
  })
  const { id } = await subscribe(railyard, shop.account, receiver)
  const payment = await shop.authorized(10_00, { metadata: { note: ADA } })
  await payment.capture()
  await receiver.hasReceived(1)
  expect(receiver.received[0]?.text).toContain(ADA)
  expect((await shop.post(`/transactions/${payment.id}/erase`)).body.status).toBe('succeeded')
  erased()
  await railyard.sender.runOnce()
  const { items } = (await shop.get(`/webhook-subscriptions/${id}/deliveries`)).body
  expect(items.length).toBeGreaterThan(1)
  const attempts = items.flatMap((delivery: { attempts: object[] }) => delivery.attempts)
  expect(attempts.at(-1)).toMatchObject({ status_code: 200, response: null })
  expect(JSON.stringify(attempts)).not.toContain(ADA)
  // answers to what is sent from then on are stored
  await shop.sold(1_00)
  await railyard.sender.runOnce()
  const [newest] = (await shop.get(`/webhook-subscriptions/${id}/deliveries`)).body.items
  expect(newest.attempts).toMatchObject([{ response: 'nothing personal' }])
})

/** Subscribes a receiver whose answers repeat personal data. */
async function subscribeEcho() {
  const receiver = await startReceiver()
  onTestFinished(() => receiver.close())
  receiver.answers(({ text }, reply) => void reply.writeHead(200).end(text.match(ADA)?.[0]))
  const { id } = await subscribe(railyard, shop.account, receiver)
  return {
    id,
    receiver,
    countErasures: async () => {
      const queue = await railyard.world.db
        .selectFrom('webhook_queues')
        .select('erasures')
        .where('webhook_subscription_id', '=', id)
        .executeTakeFirstOrThrow()
      return queue.erasures
    },
    deliveriesOf: async (resource: string) =>
      JSON.stringify(
        (await shop.get(`/webhook-subscriptions/${id}/deliveries?resource_id=${resource}`)).body,
      ),
  }
}

test('the erasure of many payments of a buyer ends the turns of webhook queues once, not with each payment', async () => {
  const buyer = await createBuyer()
  const { countErasures } = await subscribeEcho()
  for (let count = 0; count < 3; count++) await shop.authorized(10_00, { buyer_id: buyer.id })
  for (let count = 0; count < 2; count++)
    await (await sendLink(railyard, shop, { buyer_id: buyer.id, metadata: { note: ADA } })).pay()
  await shop.post(`/buyers/${buyer.id}/erase`)
  const before = await countErasures()
  await railyard.erasing.runOnce()
  // the payments, and the buyer with the links
  expect((await countErasures()) - before).toBe(2)
})

test('an erasure that was interrupted before it reached the deliveries is not done, and erases their answers in the next round', async () => {
  const buyer = await createBuyer()
  const { id, receiver, deliveriesOf } = await subscribeEcho()
  const link = await sendLink(railyard, shop, { buyer_id: buyer.id, metadata: { note: ADA } })
  const payment = await link.pay()
  await receiver.hasReceived(2)
  await railyard.sender.runOnce()
  for (const resource of [payment.id, link.id]) expect(await deliveriesOf(resource)).toContain(ADA)
  const { db } = railyard.world
  await sql`alter table webhook_queues add constraint not_reached check (webhook_subscription_id <> ${sql.lit(id)} or erasures = 0)`.execute(
    db,
  )
  const erasure = () => shop.get(`/transactions/${payment.id}/erasure`)
  expect((await shop.post(`/transactions/${payment.id}/erase`)).body.status).toBe('pending')
  expect(await everythingOf(payment.id)).not.toContain(ADA)
  await sql`alter table webhook_queues drop constraint not_reached`.execute(db)
  expect((await erasure()).body.status).toBe('pending')
  await railyard.erasing.runOnce()
  expect((await erasure()).body.status).toBe('succeeded')
  for (const resource of [payment.id, link.id]) expect(await deliveriesOf(resource)).not.toContain(ADA)
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
  await updateInsights(railyard)
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
