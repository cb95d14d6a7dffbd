import { afterAll, beforeAll, expect, test } from 'vitest'
import { ReportUnavailable } from '../../../src/connectors/contract/offered-reports.ts'
import { settlementReport } from '../../../src/connectors/mollie/settlement-report.ts'
import { fetchReports } from '../../../src/reconciliation/fetch-reports.ts'
import { columnNames, lineReader } from '../../../src/reconciliation/read-line.ts'
import { recoverFully } from '../../support/provider.ts'
import { startTestRailyard, type TestRailyard } from '../../support/railyard.ts'
import { addService, openShop, type Shop } from '../../support/shop.ts'
import { API_KEY, type MollieFake, mollieFake } from './fake.ts'
import { openBench, openPayment } from './harness.ts'

const HOUR_MS = 3_600_000
const since = '2026-01-01T00:00:00Z'

/** The reports that a bench's connector offers, with their lines; null: they cannot be read now. */
async function reportsOf(bench: ReturnType<typeof openBench>, from = since) {
  const call = { ...bench.call({}), notices: async () => [] }
  const answer = await bench.connector.offeredReports?.(call, from)
  if (!answer || 'unavailable' in answer) return answer
  return Promise.all(
    answer.offered.map(async (each) => ({
      name: each.name,
      version: each.version,
      lines: 'lines' in each ? await Array.fromAsync(each.lines()).catch(whenUnavailable) : undefined,
    })),
  )
}

function whenUnavailable(error: unknown): null {
  if (error instanceof ReportUnavailable) return null
  throw error
}

test('a settlement that is paid out is a report of the payments, refunds and chargebacks of the method', async () => {
  const bench = openBench()
  const sale = await openPayment(bench, 'sale')
  await openPayment(bench, 'sale')
  await openPayment(bench, 'sale')
  const refund = await bench.run('refund', {
    id: bench.nextId(),
    amount: 4_00,
    paymentReference: sale.paymentReference,
  })
  bench.fake.advance(3 * HOUR_MS)
  bench.fake.chargeBack('tr_0000000002')
  const id = bench.fake.payOut()
  const reports = await reportsOf(bench)
  if (!Array.isArray(reports)) throw new Error('no reports')
  expect(reports).toMatchObject([{ name: `${id}.csv`, version: id }])
  const header = columnNames(settlementReport)
  const read = lineReader(settlementReport, header)
  const lines = reports[0]?.lines?.map((line) => read(header.map((name) => line[name] ?? '')))
  const settled = { grossCurrency: 'EUR', currency: 'EUR', commission: 29 }
  expect(lines).toMatchObject([
    { line: { kind: 'settlement', payment: sale.paymentReference, gross: 10_00, net: 9_71, ...settled } },
    { line: { kind: 'settlement', payment: 'tr_0000000002' } },
    { line: { kind: 'settlement', payment: 'tr_0000000003' } },
    {
      line: {
        kind: 'refund-settlement',
        payment: sale.paymentReference,
        refund: 'references' in refund ? refund.references.operation : undefined,
        gross: 4_00,
        net: 4_25,
        commission: 25,
      },
    },
    { line: { kind: 'chargeback', payment: 'tr_0000000002', gross: 10_00, net: 25_00, commission: 15_00 } },
  ])
})

test('without access to the balance the fees are 0, and a balance that is lost is read anew', async () => {
  const bench = openBench()
  for (let count = 0; count < 5; count += 1) await openPayment(bench, 'sale')
  bench.fake.payOut()
  const fees = async () => {
    const reports = await reportsOf(bench)
    return Array.isArray(reports) ? reports[0]?.lines?.map(({ fee }) => fee) : reports
  }
  bench.fake.balance.isForbidden = true
  expect(await fees()).toEqual(['0.00', '0.00', '0.00', '0.00', '0.00'])
  bench.fake.balance.isForbidden = false
  const call = { ...bench.call({}), notices: async () => [] }
  const answer = await bench.connector.offeredReports?.(call, since)
  const report = answer && 'offered' in answer ? answer.offered[0] : undefined
  if (!report || !('lines' in report)) throw new Error('the report has no lines')
  const { lines } = report
  // the captures, the first page of payments, the balance and its first page are read, and the second is not
  bench.faults.push(undefined, undefined, undefined, undefined, undefined, 'lost after')
  expect(await Array.fromAsync(lines()).catch(whenUnavailable)).toBeNull()
  expect((await Array.fromAsync(lines())).map(({ fee }) => fee)).toEqual(Array(5).fill('0.29'))
})

test('captures count once, where their payment is in the settlement, too', async () => {
  const bench = openBench()
  const { paymentReference } = await openPayment(bench)
  await bench.run('capture', { id: bench.nextId(), amount: 6_00, paymentReference })
  await bench.run('capture', { id: bench.nextId(), amount: 4_00, paymentReference })
  bench.fake.advance(HOUR_MS)
  await bench.find({ kind: 'capture', paymentReference })
  bench.fake.payOut()
  const reports = await reportsOf(bench)
  const lines = Array.isArray(reports) ? reports[0]?.lines : undefined
  expect(lines?.map(({ resource, fee }) => [resource, fee])).toEqual([
    ['capture', '0.35'],
    ['capture', '0.35'],
  ])
})

test('settlements of before are not listed again, and a list that is lost is unavailable', async () => {
  const bench = openBench()
  await openPayment(bench, 'sale')
  bench.fake.payOut()
  expect(await reportsOf(bench, new Date(bench.fake.now() + 1).toISOString())).toEqual([])
  bench.faults.push('lost before')
  expect(await reportsOf(bench)).toEqual({ unavailable: 'the settlements cannot be read' })
  bench.faults.push(undefined, undefined, 'lost after')
  expect(await reportsOf(bench)).toMatchObject([{ lines: null }])
})

let railyard: TestRailyard
let shop: Shop
let fake: MollieFake
let service: string

beforeAll(async () => {
  railyard = await startTestRailyard()
  fake = mollieFake(Date.now())
  const { http } = railyard.world
  const send = http.request.bind(http)
  http.request = async (request) => {
    if (!request.url.includes('api.mollie.com/')) return send(request)
    const { status, headers = {}, body } = fake.receive(request)
    return { lost: false, status, headers, body: { ...(body as Record<string, unknown>) } }
  }
  shop = await openShop(railyard)
  service = await addService(railyard, shop, {
    display_name: 'Mollie',
    payment_service_definition_id: 'mollie-card',
    settlement_reporting_enabled: true,
    fields: [{ key: 'api_key', value: API_KEY }],
  })
  await railyard.admin.put(
    `/payment-services/${shop.paymentServiceId}`,
    { active: false },
    { 'x-svc-merchant-account-id': shop.account },
  )
})
afterAll(() => railyard.close())

test('Railyard books a settlement of Mollie once, however often it is listed', async () => {
  const payment = await shop.post('/transactions', {
    amount: 10_00,
    currency: 'EUR',
    country: 'DE',
    intent: 'capture',
    payment_method: { method: 'provider-token', payment_service_id: service, token: 'tkn_approve' },
  })
  expect(payment.body).toMatchObject({ status: 'capture_succeeded' })
  const refund = await shop.post(`/transactions/${payment.body.id}/refunds`, { amount: 4_00 })
  expect(refund.status).toBe(201)
  fake.advance(3 * HOUR_MS)
  railyard.clock.advance(10 * 60_000)
  await recoverFully(railyard)
  fake.payOut()
  expect(await fetchReports(railyard.world)).toBe(1)
  const settled = { settled: true, settled_amount: 9_71, settled_currency: 'EUR' }
  expect((await shop.get(`/transactions/${payment.body.id}`)).body).toMatchObject(settled)
  railyard.clock.advance(2 * HOUR_MS)
  expect(await fetchReports(railyard.world)).toBe(0)
  const lines = (await shop.get(`/transactions/${payment.body.id}/settlements`)).body.items
  expect(lines).toMatchObject([{ amount: 9_71, commission: 29 }])
  const unmatched = await railyard.world.run('select reason from unmatched_report_lines', [])
  expect(unmatched).toEqual([])
})
