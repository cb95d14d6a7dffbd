import { afterAll, describe, expect, test } from 'vitest'
import {
  enteredCard,
  expectConsistentLink,
  type SentLink,
  sendLink,
} from '../../test/support/domains/payment-links.ts'
import { challenge, openSecureShop } from '../../test/support/domains/secure-shop.ts'
import { buyerAt, goTo, openWalletShop, pageOf } from '../../test/support/domains/wallet.ts'
import { expectBooksMatch, injectFaults, recoverFully } from '../../test/support/provider.ts'
import { card } from '../../test/support/railyard.ts'
import type { Shop } from '../../test/support/shop.ts'
import { startRailyardForFile } from '../../test/support/start-railyard.ts'
import { readableRow } from '../../test/support/unpacked.ts'
import { intendPayment } from '../operations/journal/functions/intend-payment.sql.ts'
import type { TransactionRow } from '../transactions/transaction.row.ts'

const railyard = await startRailyardForFile()
const shop = await openWalletShop(railyard)
const secure = await openSecureShop(railyard)
afterAll(() => expectBooksMatch(railyard, shop.account))

const DECLINED = 2_000_11

test('a paid link is completed, and its payment has the link’s data', async () => {
  const link = await sendLink(railyard, shop, {
    intent: 'capture',
    external_identifier: 'order-7',
    metadata: { shelf: '7' },
    statement_descriptor: { name: 'Ada Books' },
    cart_items: [{ name: 'A book', quantity: 1, unit_amount: 12_99 }],
    buyer: { display_name: 'Ada', shipping_details: { first_name: 'Ada' } },
    installment_count: 2,
  })
  const { id } = await link.pay()
  expect((await shop.get(`/transactions/${id}`)).body).toMatchObject({
    status: 'capture_succeeded',
    amount: 12_99,
    country: 'DE',
    external_identifier: 'order-7',
    metadata: { shelf: '7' },
    statement_descriptor: { name: 'Ada Books' },
    cart_items: [{ name: 'A book' }],
    buyer: { display_name: 'Ada' },
    shipping_details: { first_name: 'Ada' },
    installment_count: 2,
  })
  expect(await link.read()).toMatchObject({ status: 'completed' })
  expect(await link.eventStatuses()).toEqual([
    'payment-link.created active',
    'payment-link.updated processing',
    'payment-link.updated completed',
  ])
  expect(
    (await shop.get(`/transactions?payment_link_id=${link.id}`)).body.items.map(
      (item: { id: string }) => item.id,
    ),
  ).toEqual([id])
})

test('after a declined payment the link can be paid again', async () => {
  const link = await sendLink(railyard, shop, { amount: DECLINED })
  expect(await link.pay()).toMatchObject({ status: 'authorization_failed', payment_link_id: link.id })
  expect(await link.read()).toMatchObject({ status: 'active' })
  expect(await link.eventStatuses()).toEqual([
    'payment-link.created active',
    'payment-link.updated processing',
    'payment-link.updated active',
  ])
  await link.pay()
  expect((await shop.get(`/transactions?payment_link_id=${link.id}`)).body.items).toHaveLength(2)
})

test('when twenty buyers pay one link at once, one of them is charged', async () => {
  const link = await sendLink(railyard, shop)
  const cards = await Promise.all(Array.from({ length: 20 }, () => enteredCard(railyard, shop)))
  const answers = await Promise.allSettled(cards.map((method) => link.pay(method)))
  expect(answers.filter(({ status }) => status === 'fulfilled')).toHaveLength(1)
  const refusals = answers.flatMap((answer) => (answer.status === 'rejected' ? [answer.reason.message] : []))
  expect(
    refusals.filter(
      (reason) =>
        !/^A payment of this link is under way$|^A payment through this link has succeeded already$/.test(
          reason,
        ),
    ),
  ).toEqual([])
  expect((await shop.get(`/transactions?payment_link_id=${link.id}`)).body.items).toHaveLength(1)
  expect(await link.eventStatuses()).toEqual([
    'payment-link.created active',
    'payment-link.updated processing',
    'payment-link.updated completed',
  ])
})

test('an attempt that is sent twice, also at once, makes one payment and gets its answer twice', async () => {
  const link = await sendLink(railyard, shop)
  const method = await enteredCard(railyard, shop)
  const key = 'attempt-1'
  const [one, other] = await Promise.all([link.pay(method, { key }), link.pay(method, { key })])
  expect(other).toEqual(one)
  expect(await link.pay(method, { key })).toEqual(one)
})

test('a link accepts the stored payment methods of its own buyer only', async () => {
  const buyer = async () => (await shop.post('/buyers', {})).body.id
  const [ada, eve] = [await buyer(), await buyer()]
  const stored = async (buyer_id: string | null) =>
    (
      await shop.post('/payment-methods', {
        number: card.number,
        expiration_date: card.expiration_date,
        buyer_id,
      })
    ).body.id
  const own = await stored(ada)
  const link = await sendLink(railyard, shop, { buyer_id: ada, store: true })
  for (const id of [await stored(eve), await stored(null)])
    await expect(link.pay({ method: 'id', id })).rejects.toMatchObject({ status: 400 })
  const open = await sendLink(railyard, shop)
  await expect(open.pay({ method: 'id', id: own })).rejects.toMatchObject({ status: 400 })
  expect(await link.pay({ method: 'id', id: own })).toMatchObject({
    status: 'authorization_succeeded',
    buyer: { id: ada },
    payment_method: { id: own },
  })
  expect(await link.read()).toMatchObject({ status: 'completed' })
  expect(await open.read()).toMatchObject({ status: 'active' })
})

test('a stored method that is deleted while it pays leaves no payment and no operation, and the link active', async () => {
  const { id: buyer_id } = (await shop.post('/buyers', {})).body
  const { id } = (
    await shop.post('/payment-methods', {
      number: card.number,
      expiration_date: card.expiration_date,
      buyer_id,
    })
  ).body
  const link = await sendLink(railyard, shop, { buyer_id })
  const { world } = railyard
  const count = async () =>
    (await world.run<{ all: number }>('select count(*)::int as all from operations', []))[0]?.all
  const before = await count()
  const run: typeof world.run = async (text, values) => {
    if (text === intendPayment.text) await shop.delete(`/payment-methods/${id}`)
    return world.run(text, values)
  }
  await expect(link.pay({ method: 'id', id }, {}, { ...world, run })).rejects.toMatchObject({
    status: 400,
    details: [{ pointer: '/payment_method/id' }],
  })
  expect(await link.read()).toMatchObject({ status: 'active' })
  expect(await count()).toBe(before)
})

test('a card is stored for the link’s buyer once it has paid, if the link has `store`', async () => {
  const buyer_id = (await shop.post('/buyers', {})).body.id
  const methods = async () => (await shop.get(`/buyers/payment-methods?buyer_id=${buyer_id}`)).body.items
  await (await sendLink(railyard, shop, { buyer_id, store: true, amount: DECLINED })).pay()
  expect(await methods()).toEqual([])
  await (await sendLink(railyard, shop, { buyer_id, store: true })).pay()
  expect(await methods()).toMatchObject([{ label: '1111' }])
})

test('a payment that no payment service can take fails and leaves the link active', async () => {
  const link = await sendLink(railyard, shop, { currency: 'CHF' })
  expect(await link.pay()).toMatchObject({
    status: 'authorization_failed',
    error_code: 'all_attempts_skipped',
  })
  expect(await link.read()).toMatchObject({ status: 'active' })
  expect(await link.eventStatuses()).toEqual(['payment-link.created active'])
})

test('another account’s link is a 404', async () => {
  const link = await sendLink(railyard, shop)
  expect((await secure.get(`/payment-links/${link.id}`)).status).toBe(404)
  expect((await secure.post(`/payment-links/${link.id}/expire`)).status).toBe(404)
  expect((await secure.get(`/transactions?payment_link_id=${link.id}`)).body.items).toEqual([])
})

describe('a link with a payment under way refuses other payments', () => {
  const APPROVAL_TIMEOUT_MS = 3_700_000
  const expectProcessing = async (merchant: Shop, link: SentLink, payment: TransactionRow) => {
    expect(payment.status).toBe('buyer_approval_pending')
    expect((await link.read()).status).toBe('processing')
    await expect(link.pay(await enteredCard(railyard, merchant))).rejects.toThrow(
      'A payment of this link is under way',
    )
  }
  const approvalPending = async () => {
    const link = await sendLink(railyard, shop)
    const payment = await link.pay({ method: 'wallet' })
    await expectProcessing(shop, link, payment)
    return {
      link,
      payment,
      buyer: buyerAt(pageOf(railyard, shop.walletServiceId, payment.payment_service_transaction_id ?? '')),
    }
  }
  const challenged = async () => {
    const link = await sendLink(railyard, secure, {
      expires_at: new Date(railyard.clock.now() + 86_400_000).toISOString(),
    })
    const payment = await link.pay(
      await enteredCard(railyard, secure, { ...card, number: '4111111111181072' }),
    )
    await expectProcessing(secure, link, payment)
    return { link, page: payment.approval?.url ?? '' }
  }

  test('the link can be paid again when the buyer cancels at the wallet', async () => {
    const { link, buyer } = await approvalPending()
    await goTo(await buyer.cancel())
    expect((await link.read()).status).toBe('active')
  })

  test('the link can be paid again when the buyer does not return from the wallet', async () => {
    const { link } = await approvalPending()
    railyard.clock.advance(APPROVAL_TIMEOUT_MS)
    await recoverFully(railyard)
    expect((await link.read()).status).toBe('active')
  })

  test('the link can be paid again when the merchant cancels the payment', async () => {
    const { link, payment } = await approvalPending()
    expect((await shop.payment(payment.id).cancel()).status).toBe(200)
    expect((await link.read()).status).toBe('active')
    await expectConsistentLink(railyard, link, false)
  })

  test('the link can be paid again when the cardholder fails the challenge', async () => {
    const { link, page } = await challenged()
    await challenge(railyard, page, 'decline')
    expect((await link.read()).status).toBe('active')
  })

  test('the link can be paid again when the cardholder does not answer the challenge', async () => {
    const { link } = await challenged()
    railyard.clock.advance(APPROVAL_TIMEOUT_MS)
    await recoverFully(railyard)
    expect((await link.read()).status).toBe('active')
  })

  test('the link is completed when the buyer approves the payment', async () => {
    const { link, buyer } = await approvalPending()
    await goTo(await buyer.approve())
    expect((await link.read()).status).toBe('completed')
    const other = await challenged()
    await challenge(railyard, other.page)
    expect((await other.link.read()).status).toBe('completed')
  })
})

test('a paid link stays completed after a void or a refund', async () => {
  const [link, refunded] = [
    await sendLink(railyard, shop),
    await sendLink(railyard, shop, { intent: 'capture' }),
  ]
  await shop.payment((await link.pay()).id).void()
  await shop.payment((await refunded.pay()).id).refund()
  for (const { read } of [link, refunded]) expect((await read()).status).toBe('completed')
})

test('a payment with an unknown outcome keeps the link processing until recovery finds it out', async () => {
  for (const [amount, status] of [
    [12_99, 'completed'],
    [DECLINED, 'active'],
  ]) {
    const link = await sendLink(railyard, shop, { amount })
    await injectFaults(railyard, { operation: 'authorize', kind: 'lost', times: 1 })
    expect((await link.pay()).status).toBe('processing')
    expect((await link.read()).status).toBe('processing')
    await expect(link.pay()).rejects.toThrow('A payment of this link is under way')
    await recoverFully(railyard)
    expect((await link.read()).status).toBe(status)
  }
})

test('the correction of a payment changes the status of its link, too', async () => {
  const link = await sendLink(railyard, shop, { amount: DECLINED })
  const { id } = await link.pay()
  expect(
    (
      await shop
        .payment(id)
        .correct({ status: 'capture_succeeded', authorized_amount: DECLINED, captured_amount: DECLINED })
    ).status,
  ).toBe(200)
  expect((await link.read()).status).toBe('completed')
  expect(
    (
      await shop
        .payment(id)
        .correct({ status: 'authorization_failed', captured_amount: 0, authorized_amount: 0 })
    ).status,
  ).toBe(200)
  expect((await link.read()).status).toBe('completed')
  expect((await link.eventStatuses()).at(-1)).toBe('payment-link.updated completed')
})

async function readableTable(table: string): Promise<string> {
  const rows = await railyard.world.run<{ row: unknown }>(`select row_to_json(t) as row from ${table} t`, [])
  return readableRow(JSON.stringify(rows))
}

test('while the buyer approves at a wallet the link’s URL is nowhere in the database, and the buyer still returns to it', async () => {
  const link = await sendLink(railyard, shop)
  const payment = await link.pay({ method: 'wallet' }, { key: 'once' })
  const token = link.url.split('/').at(-1)
  for (const table of [
    'transactions',
    'operations',
    'idempotency_keys',
    'transaction_events',
    'events',
    'payment_links',
  ])
    expect([table, (await readableTable(table)).includes(String(token))]).toEqual([table, false])
  const { location } = await goTo(
    await buyerAt(
      pageOf(railyard, shop.walletServiceId, payment.payment_service_transaction_id ?? ''),
    ).approve(),
  )
  expect(location.href).toBe(
    `${link.url}?svc_transaction_id=${payment.id}&svc_transaction_status=authorization_succeeded`,
  )
})
