import { expect, test } from 'vitest'
import {
  download,
  linesOf,
  newestExecution,
  readCsv,
  startWithoutReportRounds,
  transactionsReport,
} from '../../../test/support/domains/reports.ts'
import { addService, openShop, type Shop } from '../../../test/support/shop.ts'

const railyard = await startWithoutReportRounds()

/** The simulator declines this amount so that another payment service may be tried. */
const RETRIABLE = 200_012
const DAY_MS = 86_400_000

const ever = { start: '2000-01-01', end: null }

/** Inserts the row of a line of a settlement report. */
const insertSettlement = (
  shop: Shop,
  line: { transaction: string; type: string; gross: number; amount: number; refund?: string; at: string },
) =>
  railyard.world.run(
    `insert into settlements (merchant_account_id, payment_service_id, line_key, id, type, transaction_id, refund_id, posted_at, ingested_at, gross_amount,
       currency, amount, exchange_rate, commission, interchange, markup, scheme_fee, report_id, file_id, line)
     values ($1, $2, gen_random_uuid(), gen_random_uuid(), $3, $4, $5, $6, $6, $7, 'EUR', $8, 1.5, 30, 10, null, 5, gen_random_uuid(), gen_random_uuid(), 1)`,
    [
      shop.account,
      shop.paymentServiceId,
      line.type,
      line.transaction,
      line.refund ?? null,
      line.at,
      line.gross,
      line.amount,
    ],
  )

test('the retries report has every attempt of payments that needed more than one, and no others', async () => {
  const shop = await openShop(railyard)
  const second = await addService(railyard, shop)
  await shop.authorized(10_00)
  const { body: paid } = await shop.pay(RETRIABLE, { external_identifier: 'order-2' })
  const lines = await linesOf(railyard, shop, {
    model: 'transaction_retries',
    params: { filters: { created_at: ever } },
  })
  expect(lines).toMatchObject([
    {
      transaction_id: paid.id,
      attempt: '1',
      attempts: '2',
      status: 'declined',
      error_code: 'issuer_decline',
      payment_service_id: shop.paymentServiceId,
    },
    {
      transaction_id: paid.id,
      attempt: '2',
      attempts: '2',
      status: 'declined',
      amount: String(RETRIABLE),
      payment_service_id: second,
    },
  ])
  expect(lines[0]).toMatchObject({
    transaction_external_identifier: 'order-2',
    transaction_status: paid.status,
    transaction_created_at: paid.created_at,
    currency: 'EUR',
    method: 'card',
    scheme: 'visa',
    payment_service_display_name: 'Mock card',
    payment_service_definition_id: 'mock-card',
  })
  expect(
    await linesOf(railyard, shop, {
      model: 'transaction_retries',
      params: { filters: { created_at: { start: '2999-01-01' } } },
    }),
  ).toEqual([])
})

test('the receivables report adds up to what was captured, not refunded and not settled', async () => {
  const shop = await openShop(railyard)
  const sold = await shop.sold(100_00, { external_identifier: 'order-1' })
  await sold.refund({ amount: 30_00, external_identifier: 'refund-1' })
  const authorized = await shop.authorized(50_00)
  await authorized.capture({ amount: 20_00 })
  const voided = await shop.authorized(7_00)
  await voided.void()
  await shop.pay(200_011)
  const at = new Date(railyard.clock.now()).toISOString()
  const refund = (await sold.refunds())[0].id
  await insertSettlement(shop, { transaction: sold.id, type: 'settlement', gross: 100_00, amount: 99_55, at })
  await insertSettlement(shop, {
    transaction: sold.id,
    type: 'refund-settlement',
    gross: 30_00,
    amount: -30_00,
    refund,
    at,
  })
  await insertSettlement(shop, {
    transaction: authorized.id,
    type: 'chargeback',
    gross: 20_00,
    amount: -20_00,
    at,
  })
  railyard.clock.advance(60_000)
  const receivables = (timestamp: unknown) =>
    linesOf(railyard, shop, { model: 'accounts_receivables', params: { filters: { timestamp } } })
  const lines = await receivables({ start: new Date(railyard.clock.now() - DAY_MS).toISOString(), end: null })
  expect(
    lines
      .map(({ type, amount, receivable_change }) => [type, Number(amount), Number(receivable_change)])
      .sort(),
  ).toEqual(
    [
      ['authorization', 50_00, 0],
      ['authorization', 7_00, 0],
      ['capture', 100_00, 100_00],
      ['capture', 20_00, 20_00],
      ['chargeback', -20_00, 0],
      ['refund', -30_00, -30_00],
      ['refund_settlement', -30_00, 30_00],
      ['settlement', 100_00, -100_00],
      ['void', 7_00, 0],
    ].sort(),
  )
  const receivable = lines.reduce((sum, line) => sum + Number(line['receivable_change']), 0)
  // order-1 and its refund are settled; the capture of the other payment is not settled yet
  expect(receivable).toBe(20_00)
  const order = lines.map(({ timestamp, id }) => `${timestamp} ${id}`)
  expect(order).toEqual(order.toSorted())
  expect(lines.find(({ type }) => type === 'refund')).toMatchObject({
    id: refund,
    transaction_id: sold.id,
    transaction_external_identifier: 'order-1',
    external_identifier: 'refund-1',
    currency: 'EUR',
    payment_service_id: shop.paymentServiceId,
  })
  // a longer window has the same lines, in no particular order
  const ids = (found: Record<string, string>[]) => found.map(({ id }) => id).sort()
  expect(ids(await receivables(ever))).toEqual(ids(lines))
  expect(await receivables({ start: '2000-01-01', end: '2000-01-02' })).toEqual([])
})

test('the detailed settlement report has the report lines of the day before, with their payments', async () => {
  const shop = await openShop(railyard)
  const sold = await shop.sold(100_00, { external_identifier: 'order-1' })
  const filters = { ingested_at: { start: 'day_start', end: 'day_end' } }
  const spec = { model: 'detailed_settlement', params: { filters } }
  const yesterday = `${new Date(railyard.clock.now() - DAY_MS).toISOString().slice(0, 10)}T23:59:59.999999Z`
  await insertSettlement(shop, {
    transaction: sold.id,
    type: 'settlement',
    gross: 100_00,
    amount: 99_55,
    at: yesterday,
  })
  await insertSettlement(shop, {
    transaction: sold.id,
    type: 'chargeback',
    gross: 100_00,
    amount: -100_00,
    at: new Date(railyard.clock.now()).toISOString(),
  })
  const paid = await sold.read()
  expect(await linesOf(railyard, shop, spec)).toEqual([
    expect.objectContaining({
      type: 'settlement',
      ingested_at: yesterday.replace('Z', '+00:00'),
      transaction_id: sold.id,
      transaction_external_identifier: 'order-1',
      transaction_created_at: paid.created_at,
      transaction_amount: '10000',
      transaction_currency: 'EUR',
      payment_service_transaction_id: paid.payment_service_transaction_id,
      gross_amount: '10000',
      amount: '9955',
      exchange_rate: '1.5',
      commission: '30',
      markup: '',
    }),
  ])
})

test('the detailed settlement report has the lines of its window', async () => {
  const shop = await openShop(railyard)
  const sold = await shop.sold(100_00)
  const at = (days: number) => new Date(railyard.clock.now() - days * DAY_MS).toISOString()
  for (const [days, amount] of [
    [45, 10_00],
    [20, 20_00],
    [0, 30_00],
  ] as const)
    await insertSettlement(shop, {
      transaction: sold.id,
      type: 'settlement',
      gross: amount,
      amount,
      at: at(days),
    })
  const amountsOf = async (ingested_at: object) => {
    const lines = await linesOf(railyard, shop, {
      model: 'detailed_settlement',
      params: { filters: { ingested_at } },
    })
    return lines.map(({ amount }) => amount)
  }
  expect(await amountsOf({ start: at(50), end: at(30) })).toEqual(['1000'])
  expect(await amountsOf({ start: at(30) })).toEqual(['2000', '3000'])
  expect(await amountsOf({ end: at(10) })).toEqual(['1000', '2000'])
  expect(await amountsOf({ start: at(50), end: 'day_end' })).toEqual(['1000', '2000'])
})

test('a line that is committed half a minute after its date is in the report of its day', async () => {
  const shop = await openShop(railyard)
  const sold = await shop.sold(100_00)
  const spec = {
    model: 'detailed_settlement',
    params: { filters: { ingested_at: { start: 'day_start', end: 'day_end' } } },
  }
  const report = (
    await shop.post('/reports', {
      ...transactionsReport({ schedule: 'daily', schedule_enabled: true }),
      spec,
    })
  ).body
  const midnight = Date.parse(report.next_execution_at)
  railyard.clock.advance(midnight + 30_000 - railyard.clock.now())
  await railyard.reports.runOnce()
  await insertSettlement(shop, {
    transaction: sold.id,
    type: 'settlement',
    gross: 100_00,
    amount: 99_55,
    at: new Date(midnight - 200).toISOString(),
  })
  railyard.clock.advance(30_000)
  await railyard.reports.runOnce()
  expect(readCsv(await download(shop, await newestExecution(shop, report.id)))).toMatchObject([
    { transaction_id: sold.id },
  ])
})

test('the payment performance report has the rates of the period and of the one before', async () => {
  const shop = await openShop(railyard)
  const second = await addService(railyard, shop, { active: false })
  const spec = { model: 'ai_insights', params: { filters: { prompt_key: 'payment_performance' } } }
  const report = await shop.post('/reports', {
    ...transactionsReport({ schedule: 'daily', schedule_enabled: false }),
    spec,
  })
  const midnight = Date.parse(report.body.next_execution_at)
  const goTo = (time: number) => railyard.clock.advance(time - railyard.clock.now())
  goTo(midnight + 60_000)
  for (const amount of [10_00, 200_011, 200_011, 200_011]) await shop.pay(amount)
  goTo(midnight + DAY_MS + 60_000)
  for (const amount of [10_00, 10_00, 10_00, 200_011]) await shop.pay(amount, { country: 'DE' })
  goTo(midnight + 2 * DAY_MS + 60_000)
  await shop.pay(10_00)
  const performance = await linesOf(railyard, shop, spec, { schedule: 'once' })
  const line = (section: string, key: string) =>
    performance.find((each) => each['section'] === section && each['key'] === key)
  // without a schedule, the report is about the last thirty days
  expect(line('total', 'all')).toMatchObject({
    transactions: '9',
    succeeded: '5',
    approval_rate: '0.5556',
    previous_transactions: '0',
    transactions_change: '',
  })
  await shop.put(`/reports/${report.body.id}`, { schedule_enabled: true })
  goTo(midnight + 2 * DAY_MS + 120_000)
  await railyard.world.run(
    'update reports set next_execution_at = $2 where merchant_account_id = $1 and schedule = $3',
    [shop.account, new Date(midnight + 2 * DAY_MS).toISOString(), 'daily'],
  )
  await railyard.reports.runOnce()
  const { items } = (await shop.get(`/reports/${report.body.id}/executions`)).body
  expect(items).toHaveLength(1)
  const daily = readCsv(await download(shop, items[0]))
  const dailyLine = (section: string, key: string) =>
    daily.find((each) => each['section'] === section && each['key'] === key)
  const rates = {
    transactions: '4',
    succeeded: '3',
    approval_rate: '0.75',
    previous_transactions: '4',
    previous_succeeded: '1',
    previous_approval_rate: '0.25',
    transactions_change: '0',
    approval_rate_change: '0.5',
  }
  expect(dailyLine('total', 'all')).toMatchObject(rates)
  expect(dailyLine('payment_service', shop.paymentServiceId)).toMatchObject({ ...rates, name: 'Mock card' })
  expect(dailyLine('payment_service', second)).toBeUndefined()
  expect(dailyLine('scheme', 'visa')).toMatchObject(rates)
  expect(dailyLine('country', 'DE')).toMatchObject({
    transactions: '4',
    previous_transactions: '0',
    previous_approval_rate: '',
    approval_rate_change: '',
  })
  expect(dailyLine('decline', 'insufficient_funds')).toMatchObject({
    transactions: '1',
    previous_transactions: '3',
    approval_rate: '',
    transactions_change: '-0.6667',
  })
})
