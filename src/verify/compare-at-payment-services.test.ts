import { expect, test } from 'vitest'
import { openBnplShop } from '../../test/support/domains/bnpl.ts'
import { addGiftCardService, newGiftCard } from '../../test/support/domains/gift-cards.ts'
import { payoutOf } from '../../test/support/domains/payouts.ts'
import { openMethodShop } from '../../test/support/domains/simulated-method.ts'
import { goTo, openWalletShop } from '../../test/support/domains/wallet.ts'
import { booksOf, injectFaults } from '../../test/support/provider.ts'
import { addService, openShop } from '../../test/support/shop.ts'
import { startShop } from '../../test/support/start-shop.ts'
import { copyOf, shifted } from '../../test/support/tamper.ts'
import { compareAtPaymentServices, type Difference } from './compare-at-payment-services.ts'
import { verify } from './verify.ts'

const { railyard, shop } = await startShop({ comparesBooks: false })

const DAY_MS = 86_400_000

/** What is found, which payment services were away, and what they were sent. */
async function compared(more: { since?: Date; stopped?: () => boolean } = {}) {
  const differences: Difference[] = []
  const away: string[] = []
  const sent: string[] = []
  const { http } = railyard.world
  const request: typeof http.request = (asked) => {
    sent.push(`${asked.method} ${asked.url}`)
    return http.request(asked)
  }
  const counts = await compareAtPaymentServices(
    { ...railyard.world, http: { ...http, request } },
    {
      since: new Date(railyard.clock.now() - 7 * DAY_MS),
      onDifference: (difference) => void differences.push(difference),
      onUnavailable: ({ id }, reason) => void away.push(`${id} ${reason}`),
      pauseMs: 1,
      ...more,
    },
  )
  const found = differences.map(({ operation: { kind, transaction_id: about }, ours, theirs }) => ({
    about,
    kind,
    ours,
    theirs,
  }))
  expect(found).toHaveLength(counts.findings)
  return { counts, found, away, sent }
}

const change = (sql: string, values: readonly unknown[]) => railyard.world.run(sql, values)

/** What was decided by which connectors. */
async function decidedKinds(): Promise<string[]> {
  const rows = await change(
    `select distinct s.payment_service_definition_id || ' ' || o.kind || case when o.status = 'approved' then '' else ' refused' end as what
       from operations o join payment_services s on s.merchant_account_id = o.merchant_account_id and s.id = o.payment_service_id
      where o.status in ('approved', 'declined', 'failed') and o.kind <> 'approval'`,
    [],
  )
  return rows.map(({ what }) => String(what)).toSorted()
}

const tables = [
  'transactions',
  'operations',
  'payouts',
  'events',
  'idempotency_keys',
  'audit_entries',
  'payment_services',
  'settlements',
]

/** All rows about money. Call counts and seals are left out, because background work writes them. */
async function ourBooks(): Promise<unknown[]> {
  const rows: unknown[] = []
  for (const table of tables)
    rows.push(await change(`select to_jsonb(r)::text as row from ${table} r order by 1`, []))
  return rows
}

test('ordinary payments equal those at their payment services, and the comparison changes nothing here or there', async () => {
  await addGiftCardService(railyard, shop)
  const payment = await shop.authorized(100_00)
  await payment.increment(20_00)
  await payment.capture({ amount: 60_00, final: false })
  await payment.refund({ amount: 10_00 })
  await shop.sold(55_00)
  await (await shop.authorized(50_00)).void()
  await (await shop.authorized(9_000_00)).capture({ amount: 500_002 })
  const split = await shop.sold(60_00, { gift_cards: [{ ...newGiftCard(), amount: 10_00 }] })
  await split.refundAll()
  // refused by the first payment service alone, or by both
  const second = await openShop(railyard)
  await addService(railyard, second)
  expect((await second.pay(200_016)).body.status).toBe('authorization_failed')
  await injectFaults(railyard, {
    payment_service_id: second.paymentServiceId,
    operation: 'authorize',
    kind: 'decline',
  })
  expect((await second.pay(70_00)).body.status).toBe('authorization_succeeded')
  await injectFaults(railyard)
  expect((await shop.post('/payouts', payoutOf(shop.paymentServiceId))).body.status).toBe('succeeded')

  const wallet = await openWalletShop(railyard)
  const captured = await wallet.authorized(42_00)
  await captured.capture({ amount: 40_00 })
  await captured.refund({ amount: 5_00 })
  await (await wallet.authorized(43_00)).void()
  await (await wallet.sold(44_00)).refund()
  await goTo(await (await wallet.asked(45_00)).buyer.decline())
  await (await wallet.asked(46_00)).cancel()

  const bnpl = await openBnplShop(railyard)
  const later = bnpl.payment(await bnpl.paidOnPage(80_00))
  await later.capture()
  await later.refund({ amount: 8_00 })
  await bnpl.payment(await bnpl.paidOnPage(81_00)).void()
  const asked = await bnpl.buy(82_00)
  await bnpl.payment(asked.body.id).cancel()

  await bnpl.paidOnPage(83_00, { intent: 'capture' })

  const methods = await openMethodShop(railyard, 'venmo')
  await (await methods.paid('venmo', 33_00)).refund({ amount: 3_00 })
  const delayed = await methods.paid('venmo', 34_00, { intent: 'authorize' })
  await delayed.capture()
  await (await methods.paid('venmo', 35_00, { intent: 'authorize' })).void()
  await (await methods.asked('venmo', 36_00)).cancel()

  const before = { theirs: await booksOf(railyard), ours: await ourBooks() }
  const { counts, found, away, sent } = await compared()
  expect({ found, away }).toEqual({ found: [], away: [] })
  expect(counts.compared).toBeGreaterThan(20)
  // the cancellations of pages on which no buyer has decided: their connectors would cancel once more
  expect(counts.notComparable).toBe(2)
  expect(sent.filter((request) => !/^GET |^POST .*\/oauth2\/token$/.test(request))).toEqual([])
  expect(await booksOf(railyard)).toEqual(before.theirs)
  expect(await ourBooks()).toEqual(before.ours)
  expect(await decidedKinds()).toEqual(
    [
      ...[
        'authorize',
        'authorize refused',
        'capture',
        'capture refused',
        'increment',
        'payout',
        'refund',
        'sale',
        'void',
      ].map((what) => `mock-card ${what}`),
      ...['authorize', 'authorize refused', 'cancel', 'capture', 'refund', 'sale', 'void'].map(
        (what) => `wallet-wallet ${what}`,
      ),
      ...['authorize', 'cancel', 'capture', 'refund', 'sale', 'void'].map((what) => `bnpl-bnpl ${what}`),
      ...['authorize', 'cancel', 'capture', 'refund', 'sale', 'void'].map((what) => `mock-venmo ${what}`),
    ].toSorted(),
  )
})

test('an approved operation that was changed to a failed one is found', async () => {
  const payment = await shop.sold(30_00)
  await payment.refund({ amount: 10_00 })
  const set = (status: string, code: string | null) =>
    change(
      `update operations set status = $2, error_code = $3 where transaction_id = $1 and kind = 'refund'`,
      [payment.id, status, code],
    )
  await set('failed', 'service_error')
  expect((await compared()).found).toEqual([
    { about: payment.id, kind: 'refund', ours: 'failed (service_error)', theirs: 'approved, 1000 EUR' },
  ])
  await set('approved', null)
  expect((await compared()).found).toEqual([])
})

test('a refused operation that was changed to an approved one is found', async () => {
  const payment = await shop.authorized(9_000_00)
  await payment.capture({ amount: 500_002 })
  const set = (status: string, amount: number | null) =>
    change(
      `update operations set status = $2, effective_amount = $3 where transaction_id = $1 and kind = 'capture'`,
      [payment.id, status, amount],
    )
  await set('approved', 500_002)
  expect((await compared()).found).toEqual([
    {
      about: payment.id,
      kind: 'capture',
      ours: 'approved, 500002 EUR',
      theirs: expect.stringMatching(/^refused \(/),
    },
  ])
  await set('declined', null)
  expect((await compared()).found).toEqual([])
})

test('an amount that was changed consistently in every table is found', async () => {
  const payment = await shop.authorized(41_00)
  const set = async (from: number, to: number) => {
    await change(
      'update operations set amount = $3, effective_amount = $3 where transaction_id = $1 and amount = $2',
      [payment.id, from, to],
    )
    await change(
      'update transactions set amount = $3, authorized_amount = $3 where id = $1 and amount = $2',
      [payment.id, from, to],
    )
    await change('update events set target = replace(target::text, $2, $3)::json where target_id = $1', [
      payment.id,
      `${from}`,
      `${to}`,
    ])
  }
  await set(41_00, 42_00)
  expect(
    (await verify(railyard.world.run)).findings.filter(({ transaction_id }) => transaction_id === payment.id),
  ).toEqual([])
  expect((await compared()).found).toEqual([
    { about: payment.id, kind: 'authorize', ours: 'approved, 4200 EUR', theirs: 'approved, 4100 EUR' },
  ])
  await set(42_00, 41_00)
  expect((await compared()).found).toEqual([])
})

test('an invented operation that the payment service does not have is found', async () => {
  const payment = await shop.sold(30_00)
  const id = '00000000-0000-4000-8000-000000000001'
  await change(
    copyOf(
      'operations',
      'transaction_id = $1',
      `jsonb_build_object('id', $2::text, 'kind', 'refund', 'amount', 500, 'effective_amount', 500)`,
    ),
    [payment.id, id],
  )
  expect((await compared()).found).toEqual([
    { about: payment.id, kind: 'refund', ours: 'approved, 500 EUR', theirs: 'absent' },
  ])
  await change('delete from operations where id = $1', [id])
})

test('a capture that the wallet does not have is found', async () => {
  const wallet = await openWalletShop(railyard)
  const payment = await wallet.authorized(42_00)
  await payment.capture({ amount: 40_00 })
  await change(
    `update operations set id = '00000000-0000-4000-8000-000000000002' where transaction_id = $1 and kind = 'capture'`,
    [payment.id],
  )
  expect((await compared()).found).toEqual([
    { about: payment.id, kind: 'capture', ours: 'approved, 4000 EUR', theirs: 'absent' },
  ])
  await change(
    `update operations set settled_at = ${shifted('settled_at', '-8 days')} where transaction_id = $1 and kind = 'capture'`,
    [payment.id],
  )
})

test('a payment service that does not answer is reported once, and only its operations are not compared', async () => {
  const dead = await openShop(railyard)
  await Promise.all([1, 2, 3, 4, 5, 6].map((amount) => dead.sold(amount * 100)))
  const well = await compared()
  await injectFaults(railyard, {
    payment_service_id: dead.paymentServiceId,
    operation: 'find',
    kind: 'outage',
  })
  const { counts, found, away } = await compared()
  await injectFaults(railyard)
  expect(away).toEqual([`${dead.paymentServiceId} no answer`])
  expect(found).toEqual([])
  expect(well.counts.compared - counts.compared).toBe(6)
  expect(counts.notComparable - well.counts.notComparable).toBe(6)
})

test('a lookup without an answer is retried', async () => {
  const flaky = await openShop(railyard)
  await flaky.sold(5_00)
  await injectFaults(railyard, {
    payment_service_id: flaky.paymentServiceId,
    operation: 'find',
    kind: 'error',
    times: 2,
  })
  const { away, counts } = await compared()
  await injectFaults(railyard)
  expect(away).toEqual([])
  expect(counts.compared).toBe((await compared()).counts.compared)
})

test('the operations of a deleted payment service are compared', async () => {
  const gone = await openShop(railyard)
  await gone.sold(5_00)
  const { counts } = await compared()
  expect((await gone.delete(`/payment-services/${gone.paymentServiceId}`)).status).toBe(204)
  expect((await compared()).counts).toEqual(counts)
})

test('only operations that were decided in the period are compared, and the operator can stop the comparison', async () => {
  await shop.sold(5_00)
  expect((await compared({ since: new Date(railyard.clock.now() + DAY_MS) })).counts).toEqual({
    compared: 0,
    findings: 0,
    notComparable: 0,
    stopped: false,
  })
  let asked = 0
  const { counts } = await compared({ stopped: () => ++asked > 3 })
  expect(counts).toMatchObject({ compared: 3, stopped: true })
})
