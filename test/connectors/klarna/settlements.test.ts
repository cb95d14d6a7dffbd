import { beforeEach, describe, expect, test } from 'vitest'
import { bnpl } from '../../../src/connectors/bnpl-bnpl/connector.ts'
import { settlementReport } from '../../../src/connectors/bnpl-bnpl/settlement-report.ts'
import type { OfferedReport } from '../../../src/connectors/contract/offered-reports.ts'
import type { HttpAnswer } from '../../../src/connectors/wire/http-message.ts'
import { columnNames, lineReader } from '../../../src/reconciliation/read-line.ts'
import { contract } from '../../contracts/contract.ts'

const settlements = contract('bnpl-settlements')
let violations: string[] = []
beforeEach(() => {
  violations = []
})

const totals = {}
const payouts = [
  { totals, payment_reference: 'XISA93DJ', payout_date: '2026-03-02T07:52:26Z', currency_code: 'EUR' },
  { totals, payment_reference: 'XISA93DK' },
]

const sale = { type: 'SALE', amount: 5000, order_id: 'o-1', capture_id: 'c-1', currency_code: 'EUR' } as const
const dates = { sale_date: '2026-03-01T10:00:00Z', capture_date: '2026-03-01T23:30:00Z' }

/** Klarna's API with these transactions in each payout, and pages of at most a hundred. */
async function offeredBy(transactions: readonly object[], failing?: HttpAnswer) {
  const connector = bnpl(undefined)
  const paths: string[] = []
  const call = {
    http: async ({ method, url }: { method: string; url: string }): Promise<HttpAnswer> => {
      const { origin, pathname: path, searchParams } = new URL(url)
      expect(origin).toBe('https://api.klarna.com')
      paths.push(path)
      const query = Object.fromEntries(searchParams)
      violations.push(...settlements.request({ method, path, query }))
      const [from, size] = [Number(query['offset']), Number(query['size'])]
      const page = (items: readonly object[]) => items.slice(from, from + size)
      const pagination = { offset: from, total: transactions.length }
      const body = path.endsWith('/payouts')
        ? { payouts: page(payouts), pagination }
        : { transactions: page(transactions), pagination }
      violations.push(...settlements.response({ method, path, status: 200, body }))
      return failing && path.endsWith('/transactions')
        ? failing
        : { lost: false, status: 200, headers: {}, body }
    },
    service: {
      id: '01a20008-7d03-7085-af8e-000000000001',
      fields: { username: 'merchant-1', password: 'secret-1', environment: 'production', region: 'eu' },
      notificationUrl: 'https://railyard.example/notifications/shop/1/token',
    },
    notices: async () => [],
  }
  const answer = await connector.offeredReports?.(call, '2026-02-01T00:00:00.000Z')
  if (!answer || 'unavailable' in answer) throw new Error('no reports are offered')
  return { offered: answer.offered, paths }
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

test('each payout is a report, and is read as the lines of its payments', async () => {
  const { offered } = await offeredBy([
    { ...sale, ...dates },
    { type: 'FEE', amount: 150, order_id: 'o-1', capture_id: 'c-1', currency_code: 'EUR' },
    { type: 'RETURN', amount: 2000, order_id: 'o-1', refund_id: 'r-1', currency_code: 'EUR', ...dates },
    { type: 'COMMISSION', amount: 10, currency_code: 'EUR' },
  ])
  expect(offered.map(({ name, version }) => [name, version])).toEqual([
    ['XISA93DJ', '2026-03-02T07:52:26Z'],
    ['XISA93DK', 'paid'],
  ])
  const common = { payment: 'o-1', grossCurrency: 'EUR', currency: 'EUR' }
  expect(await readLines(offered[0])).toEqual([
    {
      line: expect.objectContaining({
        ...common,
        kind: 'settlement',
        gross: 5000,
        net: 4850,
        commission: 150,
        refund: null,
      }),
    },
    {
      line: expect.objectContaining({
        ...common,
        kind: 'refund-settlement',
        gross: 2000,
        net: 2000,
        refund: 'r-1',
      }),
    },
  ])
  expect(violations).toEqual([])
})

describe('a transaction of a payout', () => {
  test.each([
    [{ type: 'REVERSAL' }, { kind: 'chargeback', gross: 5000, net: 5000 }],
    [
      { type: 'REVERSAL', detailed_type: 'REVERSAL_MERCHANT_PROTECTION' },
      { kind: 'chargeback-reversal', gross: 5000, net: 5000 },
    ],
    [
      { amount: 5000, currency_code: 'JPY' },
      { kind: 'settlement', gross: 5000, net: 5000 },
    ],
    [
      { type: 'RETURN', amount: -5000, refund_id: 'r-1' },
      { kind: 'refund-settlement', gross: 5000, net: 5000 },
    ],
  ])('%j is read as %j', async (more, line) => {
    const { offered } = await offeredBy([{ ...sale, ...dates, ...more }])
    expect(await readLines(offered[0])).toEqual([{ line: expect.objectContaining(line) }])
  })

  test.each([
    ['has no order', { order_id: undefined }, 'order_id: empty'],
    ['has no time', { sale_date: undefined, capture_date: undefined }, 'sale_date: no time'],
    [
      'is settled in another currency, for which Klarna states no amount',
      { settlement_currency: 'SEK' },
      'settled_amount: no amount of this currency',
    ],
  ])('that %s is reported as unreadable', async (_name, more, malformed) => {
    const { offered } = await offeredBy([JSON.parse(JSON.stringify({ ...sale, ...dates, ...more }))])
    expect(await readLines(offered[0])).toEqual([{ malformed }])
  })
})

test('a payout of many transactions is read page by page, and its fees find their sales on other pages', async () => {
  const sales = Array.from({ length: 120 }, (_, index) => ({ ...sale, ...dates, capture_id: `c-${index}` }))
  const fee = { type: 'FEE', amount: 100, order_id: 'o-1', capture_id: 'c-0', currency_code: 'EUR' }
  const { offered, paths } = await offeredBy([...sales, fee])
  const lines = await readLines(offered[0])
  expect(lines).toHaveLength(120)
  expect(lines[0]).toMatchObject({ line: { commission: 100, net: 4900 } })
  expect(paths.filter((path) => path.endsWith('/transactions'))).toHaveLength(2)
})

test('a line names its capture and its payout, because lines have no ids', async () => {
  const { offered } = await offeredBy([{ ...sale, ...dates }])
  const named = []
  for (const report of offered)
    if ('lines' in report)
      for await (const { capture_id, payment_reference } of report.lines())
        named.push([capture_id, payment_reference])
  expect(named).toEqual([
    ['c-1', 'XISA93DJ'],
    ['c-1', 'XISA93DK'],
  ])
})

test('a report whose transactions cannot be read is fetched again later', async () => {
  const { offered } = await offeredBy([], { lost: true, sent: true, reason: 'no answer in time' })
  await expect(readLines(offered[0])).rejects.toThrow('no answer in time')
})
