import { writeFile } from 'node:fs/promises'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { linesOfActions } from '../../../src/connectors/checkout/financial-actions.ts'
import { settlementReport } from '../../../src/connectors/checkout/settlement-report.ts'
import type { ReportLines } from '../../../src/connectors/contract/offered-reports.ts'
import { fetchReports } from '../../../src/reconciliation/fetch-reports.ts'
import { columnNames, lineReader } from '../../../src/reconciliation/read-line.ts'
import { recoverFully } from '../../support/provider.ts'
import { startTestRailyard, type TestRailyard } from '../../support/railyard.ts'
import { addService, openShop, type Shop } from '../../support/shop.ts'
import { type CheckoutFake, checkoutFake } from './fake.ts'
import { fields, openBench } from './harness.ts'

const HOUR_MS = 3_600_000

type Row = Record<string, string>

async function* given(rows: readonly Row[]): ReportLines {
  yield* rows
}

const base = {
  'Action Type': 'Capture',
  'Action ID': 'act_1',
  'Payment ID': 'pay_1',
  'Processed On': '2026-07-07 16:52:20',
  'Processing Currency': 'EUR',
  'FX Rate Applied': '1',
  'Holding Currency': 'EUR',
}

const row = (breakdown: string, amount: string, more: Row = {}): Row => ({
  ...base,
  'Breakdown Type': breakdown,
  'Processing Currency Amount': amount,
  'Holding Currency Amount': amount,
  ...more,
})

/** The lines of rows, as Railyard reads them. */
async function read(rows: readonly Row[]) {
  const header = columnNames(settlementReport)
  const reader = lineReader(settlementReport, header)
  const lines = await Array.fromAsync(linesOfActions(given(rows)))
  return lines.map((line) => reader(header.map((name) => line[name] ?? '')))
}

test('the rows of an action are one line, added up exactly and rounded once', async () => {
  const refund = { 'Action Type': 'Refund', 'Action ID': 'act_2' }
  const lines = await read([
    row('Capture', '10.00'),
    row('Refund', '-4', refund),
    // three fees of 0.003 are one cent, and rounded each for itself they would be nothing
    row('Scheme Fixed Fee', '-0.003'),
    row('Refund Fixed Fee', '-0.1', refund),
    row('Interchange Variable Fee', '-0.003'),
    row('Premium Variable Fee Tax', '-0.003'),
    // comes back later, in an action of its own
    row('Rolling Reserve', '-0.5'),
  ])
  expect(lines).toEqual([
    {
      line: expect.objectContaining({
        id: 'act_1',
        kind: 'settlement',
        payment: 'pay_1',
        gross: 10_00,
        net: 9_99,
        commission: 1,
        exchangeRate: null,
        postedAt: '2026-07-07T16:52:20.000Z',
      }),
    },
    {
      line: expect.objectContaining({
        kind: 'refund-settlement',
        refund: 'act_2',
        gross: 4_00,
        net: 4_10,
        commission: 10,
      }),
    },
  ])
})

test('a dispute takes money or brings it back, as its amount says, and a lost arbitration is a fee', async () => {
  const dispute = (id: string) => ({ 'Action Type': 'Chargeback', 'Action ID': id })
  const lines = await read([
    row('Chargeback (ADJM)', '-10', dispute('act_1')),
    row('Chargeback (RPDW)', '10', dispute('act_2')),
    row('Chargeback (ARBL)', '-500', dispute('act_3')),
  ])
  expect(lines).toMatchObject([
    { line: { kind: 'chargeback', gross: 10_00, net: 10_00 } },
    { line: { kind: 'chargeback-reversal', gross: 10_00, net: 10_00 } },
    { ignored: true },
  ])
})

test('an amount in another currency comes with its rate', async () => {
  const held = {
    'Holding Currency': 'USD',
    'FX Rate Applied': '1.24',
    'Processed On UTC': '2026-07-08 01:00:00',
  }
  const lines = await read([
    row('Capture', '10.00', { ...held, 'Holding Currency Amount': '12.40123' }),
    row('Blended Fee', '-0.20', { ...held, 'Holding Currency Amount': '-0.248' }),
  ])
  expect(lines).toMatchObject([
    {
      line: {
        gross: 10_00,
        grossCurrency: 'EUR',
        net: 12_15,
        currency: 'USD',
        commission: 25,
        exchangeRate: 1.24,
        postedAt: '2026-07-08T01:00:00.000Z',
      },
    },
  ])
})

test('fees of actions that settle nothing, and entries of no payment, are left out', async () => {
  const lines = await read([
    row('Authorization Fixed Fee', '-0.05', { 'Action Type': 'Authorization', 'Action ID': 'act_1' }),
    row('Top Up', '100', { 'Action Type': 'Top Up', 'Action ID': 'act_2', 'Payment ID': '' }),
    row('Invoice Settlement', '-3', { 'Action Type': 'Invoice Settlement', 'Action ID': '' }),
  ])
  expect(lines).toEqual([{ ignored: true }, { ignored: true }])
})

test('what moves a payment’s money in another way is shown to a person', async () => {
  const failed = { 'Action Type': 'Clearing Failed', 'Action ID': 'act_2' }
  const lines = await read([
    row('Capture', '10.00'),
    row('Goodwill', '-1.00'),
    row('Clearing Failed', '-10.00', failed),
    row('Capture', '1e3', { 'Action ID': 'act_3' }),
    row('Capture', '5', { 'Action ID': 'act_4' }),
    row('Capture', '5', { 'Action ID': 'act_4', 'Holding Currency': 'USD' }),
  ])
  expect(lines).toMatchObject([
    // 9.00 and no fee are not 10.00: `amounts_disagree`
    { line: { gross: 10_00, net: 9_00, commission: 0 } },
    { malformed: 'Kind: unknown word' },
    { malformed: 'Kind: unknown word' },
    { malformed: 'Net: no amount of this currency' },
  ])
})

test('a file without the breakdown of actions is no such report', async () => {
  const { 'Breakdown Type': _, ...rest } = row('Capture', '1')
  await expect(read([rest])).rejects.toThrow('the file lacks the column Breakdown Type')
})

test('the reports of settlements are offered, of every page, and not those of days', async () => {
  const bench = openBench()
  await bench.run('sale', { id: bench.nextId() })
  const first = bench.fake.payOut()
  bench.fake.advance(24 * HOUR_MS)
  const second = bench.fake.payOut()
  const call = { ...bench.call({}), notices: async () => [] }
  const answer = await bench.connector.offeredReports?.(call, '2026-11-01T00:00:00.000Z')
  expect(answer).toMatchObject({ offered: [{ name: second }, { name: first }] })
  const later = new Date(bench.fake.now() - HOUR_MS).toISOString()
  expect(await bench.connector.offeredReports?.(call, later)).toMatchObject({ offered: [{ name: second }] })
  bench.faults.push(undefined, 'lost after')
  expect(await bench.connector.offeredReports?.(call, later)).toMatchObject({
    unavailable: expect.any(String),
  })
})

let railyard: TestRailyard
let shop: Shop
let fake: CheckoutFake
let service: string

beforeAll(async () => {
  railyard = await startTestRailyard()
  fake = checkoutFake(Date.now())
  const { http } = railyard.world
  const send = http.request.bind(http)
  http.request = async (request) => {
    if (!request.url.includes('sandbox.checkout.com/')) return send(request)
    const { status, headers = {}, body } = fake.receive(request)
    const list = Array.isArray(body) ? { list: body } : { ...(body as Record<string, unknown>) }
    return { lost: false, status, headers, body: list }
  }
  http.download = async (request, file) => {
    const { status, body } = fake.receive(request)
    if (status !== 200) return `HTTP ${status}`
    await writeFile(file, `${body}`)
    return null
  }
  shop = await openShop(railyard)
  service = await addService(railyard, shop, {
    display_name: 'Checkout.com',
    payment_service_definition_id: 'checkout-card',
    settlement_reporting_enabled: true,
    fields: Object.entries(fields).map(([key, value]) => ({ key, value })),
  })
})
afterAll(() => railyard.close())

test('Railyard books a settlement of Checkout.com once, however often it is listed', async () => {
  const payment = await shop.post('/transactions', {
    amount: 10_00,
    currency: 'EUR',
    country: 'DE',
    intent: 'capture',
    payment_method: { method: 'provider-token', payment_service_id: service, token: 'tok_visa' },
  })
  expect(payment.body).toMatchObject({ status: 'capture_succeeded' })
  expect((await shop.post(`/transactions/${payment.body.id}/refunds`, { amount: 4_00 })).status).toBe(201)
  fake.advance(20 * 60_000)
  railyard.clock.advance(20 * 60_000)
  await recoverFully(railyard)
  fake.payOut()
  expect(await fetchReports(railyard.world)).toBe(1)
  const settled = { settled: true, settled_amount: 9_69, settled_currency: 'EUR' }
  expect((await shop.get(`/transactions/${payment.body.id}`)).body).toMatchObject(settled)
  railyard.clock.advance(2 * HOUR_MS)
  expect(await fetchReports(railyard.world)).toBe(0)
  const linesOf = async (kind: string) =>
    (await shop.get(`/transactions/${payment.body.id}/${kind}`)).body.items
  expect(await linesOf('settlements')).toMatchObject([{ amount: 9_69, commission: 31 }])
  expect(await linesOf('refund-settlements')).toMatchObject([{ amount: 4_10, commission: 10 }])
  expect(await railyard.world.run('select reason from unmatched_report_lines', [])).toEqual([])
})
