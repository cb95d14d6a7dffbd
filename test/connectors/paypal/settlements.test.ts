import { describe, expect, test } from 'vitest'
import type { OfferedReport } from '../../../src/connectors/contract/offered-reports.ts'
import { settlementReport } from '../../../src/connectors/wallet-wallet/back-office/settlement-report.ts'
import { columnNames, lineReader } from '../../../src/reconciliation/read-line.ts'
import { contract } from '../../contracts/contract.ts'
import { answered, openBench } from './bench.ts'

const reporting = contract('wallet-reporting')
const money = (value: string, currency_code = 'EUR') => ({ currency_code, value })

const sale = {
  transaction_id: '3BC38643YC807283D',
  transaction_event_code: 'T0006',
  transaction_status: 'S',
  transaction_initiation_date: '2026-03-01T10:00:00+0000',
  transaction_updated_date: '2026-03-01T10:00:05Z',
  transaction_amount: money('50.00'),
  fee_amount: money('-1.50'),
}
const refund = {
  ...sale,
  transaction_id: '1JU08902781691411',
  paypal_reference_id: '3BC38643YC807283D',
  paypal_reference_id_type: 'TXN',
  transaction_event_code: 'T1107',
  transaction_amount: money('-20.00'),
  fee_amount: money('0.60'),
}

/** The reports that are offered on 2 March 2026 at 10:00, and what was asked for. */
async function offeredBy(pages: readonly (readonly object[])[], captureStatus = 200) {
  const captures: string[] = []
  const searches: Record<string, string>[] = []
  const violations: string[] = []
  const bench = await openBench(({ method, url }) => {
    const { pathname: path, searchParams } = new URL(url)
    if (path.startsWith('/v2/payments/captures/')) {
      captures.push(path.slice('/v2/payments/captures/'.length))
      const supplementary_data = { related_ids: { order_id: '5O190127TN364715T' } }
      return answered(captureStatus, { id: captures.at(-1), status: 'COMPLETED', supplementary_data })
    }
    const query = Object.fromEntries(searchParams)
    searches.push(query)
    violations.push(...reporting.request({ method, path, query }))
    const details = pages[Number(query['page']) - 1] ?? []
    const body = {
      ...(details.length > 0 && {
        transaction_details: details.map((transaction_info) => ({ transaction_info })),
      }),
      total_pages: pages.length,
    }
    return answered(200, body)
  })
  const call = { ...bench.call(), notices: async () => [] }
  const answer = await bench.connector.offeredReports?.(call, '2026-02-27T12:00:00.000Z')
  if (!answer || 'unavailable' in answer) throw new Error('no reports are offered')
  return { offered: answer.offered, captures, searches, violations }
}

/** The lines of a report, as the reconciliation reads them. */
async function readLines(report: OfferedReport | undefined) {
  if (!report || !('lines' in report)) throw new Error('the report has no lines')
  const columns = columnNames(settlementReport)
  const read = lineReader(settlementReport, columns)
  const lines = []
  for await (const line of report.lines()) lines.push(read(columns.map((name) => line[name] ?? '')))
  return lines
}

test('each complete day is a report', async () => {
  const { offered } = await offeredBy([[]])
  expect(offered.map(({ name }) => name)).toEqual([
    'transactions-2026-02-27',
    'transactions-2026-02-28',
    'transactions-2026-03-01',
  ])
})

test('payments and refunds are read as lines of their order, whose capture is looked up once', async () => {
  const { offered, captures, searches, violations } = await offeredBy([[sale], [refund]])
  const common = { payment: '5O190127TN364715T', currency: 'EUR', grossCurrency: 'EUR' }
  expect(await readLines(offered.at(-1))).toEqual([
    {
      line: expect.objectContaining({
        ...common,
        id: '3BC38643YC807283D',
        kind: 'settlement',
        gross: 5000,
        net: 4850,
        commission: 150,
        postedAt: '2026-03-01T10:00:05.000Z',
      }),
    },
    {
      line: expect.objectContaining({
        ...common,
        kind: 'refund-settlement',
        refund: '1JU08902781691411',
        gross: 2000,
        net: 1940,
        commission: -60,
      }),
    },
  ])
  expect(captures).toEqual(['3BC38643YC807283D'])
  expect(searches.map(({ start_date, end_date, page }) => [start_date, end_date, page])).toEqual([
    ['2026-03-01T00:00:00Z', '2026-03-01T23:59:59Z', '1'],
    ['2026-03-01T00:00:00Z', '2026-03-01T23:59:59Z', '2'],
  ])
  expect(violations).toEqual([])
})

describe('a transaction', () => {
  test.each([
    [
      'is a chargeback',
      { transaction_event_code: 'T1201', transaction_amount: money('-50.00') },
      'chargeback',
    ],
    ['ends a chargeback', { transaction_event_code: 'T1202' }, 'chargeback-reversal'],
  ])('that %s is read so', async (_name, more, kind) => {
    const info = { ...sale, ...more, paypal_reference_id: '3BC38643YC807283D', fee_amount: undefined }
    const { offered } = await offeredBy([[info]])
    expect(await readLines(offered[0])).toEqual([
      { line: expect.objectContaining({ kind, gross: 5000, net: 5000, commission: 0 }) },
    ])
  })

  test.each([
    ['is a payout', { transaction_event_code: 'T0400' }],
    ['is not completed', { transaction_status: 'P' }],
  ])('that %s is left out', async (_name, more) => {
    const { offered } = await offeredBy([[{ ...sale, ...more }]])
    expect(await readLines(offered[0])).toEqual([])
  })

  test('whose fee has another currency is reported as unreadable', async () => {
    const { offered } = await offeredBy([[{ ...sale, fee_amount: money('-1.50', 'USD') }]])
    expect(await readLines(offered[0])).toEqual([{ malformed: 'Net Amount: no amount of this currency' }])
  })

  test('of a capture that PayPal does not know keeps the capture’s id', async () => {
    const { offered } = await offeredBy([[sale]], 404)
    expect(await readLines(offered[0])).toMatchObject([{ line: { payment: '3BC38643YC807283D' } }])
  })
})

/** PayPal's search over transactions, which answers at most 10,000 of them. */
async function searchedDay(times: readonly string[], refuses: boolean) {
  const searches: string[] = []
  const bench = await openBench(({ url }) => {
    const { pathname, searchParams } = new URL(url)
    if (pathname.startsWith('/v2/payments/captures/')) return answered(404, {})
    const [start = '', end = ''] = [searchParams.get('start_date'), searchParams.get('end_date')]
    searches.push(`${start}/${end}`)
    const found = times.filter((time) => time >= `${start}` && time <= `${end}`)
    if (found.length > 10_000 && refuses) return answered(400, { name: 'RESULTSET_TOO_LARGE', message: '' })
    const page = Number(searchParams.get('page'))
    const transaction_details = found.slice((page - 1) * 500, page * 500).map((time) => ({
      transaction_info: { ...sale, transaction_updated_date: time },
    }))
    return answered(200, { transaction_details, total_pages: Math.ceil(found.length / 500) })
  })
  const call = { ...bench.call(), notices: async () => [] }
  const answer = await bench.connector.offeredReports?.(call, '2026-03-01T00:00:00.000Z')
  if (!answer || 'unavailable' in answer) throw new Error('no reports are offered')
  const [day] = answer.offered
  if (!day || !('lines' in day)) throw new Error('the report has no lines')
  const lines = await Array.fromAsync(day.lines())
  return { lines: lines.length, windows: new Set(searches) }
}

test.each([
  ['refuses', true],
  ['counts its pages', false],
] as const)(
  'a day of more than 10,000 transactions is read in halves, each once, where the search %s',
  async (_, refuses) => {
    const times = Array.from({ length: 10_500 }, (_, index) => {
      const time = index < 500 ? index : 43_200 + Math.floor(index / 500)
      return `${new Date(Date.UTC(2026, 2, 1) + time * 1000).toISOString().slice(0, 19)}Z`
    })
    const { lines, windows } = await searchedDay(times, refuses)
    expect(lines).toBe(10_500)
    expect(windows).toEqual(
      new Set([
        '2026-03-01T00:00:00Z/2026-03-01T23:59:59Z',
        '2026-03-01T00:00:00Z/2026-03-01T11:59:59Z',
        '2026-03-01T12:00:00Z/2026-03-01T23:59:59Z',
      ]),
    )
  },
)

test('a second of more than 10,000 transactions is not read in part', async () => {
  const times = Array.from({ length: 10_001 }, () => '2026-03-01T12:00:00Z')
  await expect(searchedDay(times, true)).rejects.toThrow('one second has more transactions')
})

test('a day is searched again later if a capture cannot be read', async () => {
  const { offered } = await offeredBy([[sale]], 500)
  await expect(readLines(offered[0])).rejects.toThrow('HTTP 500')
})
