import { hash } from 'node:crypto'
import { expect, test } from 'vitest'
import { type BnplShop, openBnplShop } from '../../test/support/domains/bnpl.ts'
import { DAY_MS, readReport, sourceOf, switchReportsOn } from '../../test/support/domains/reconciliation.ts'
import { startRailyardForFile } from '../../test/support/start-railyard.ts'
import type { ReportLines } from '../connectors/contract/offered-reports.ts'
import { retryUnmatched } from './retry-unmatched.ts'

const railyard = await startRailyardForFile()

/** A captured payment of 100.00 at Klarna, and reports with lines about it. */
async function openSold() {
  const shop = await openBnplShop(railyard)
  const id = await shop.paidOnPage(100_00, { intent: 'capture' })
  const { payment_service_transaction_id: order } = (await shop.get(`/transactions/${id}`)).body
  const source = await sourceOf(railyard, shop.account, shop.serviceId)
  return {
    shop,
    id,
    source,
    line: {
      type: 'SALE',
      order_id: String(order),
      refund_id: '',
      amount: '30,00',
      purchase_currency: 'EUR',
      settled_amount: '29,00',
      payout_currency: 'EUR',
      exchange_rate: '',
      fee: '-1,00',
      sale_date: '02.03.2026',
    },
    read: async (name: string, ...lines: Record<string, string>[]) =>
      (await readReport(railyard, source, csv(lines), { name })).counts,
    settled: async () => (await shop.get(`/transactions/${id}`)).body.settled_amount,
  }
}

const csv = (lines: readonly Record<string, string>[]) =>
  [Object.keys(lines[0] ?? {}), ...lines.map((line) => Object.values(line))]
    .map((cells) => `${cells.join(';')}\n`)
    .join('')

/** Gives the only line of a payment service the key that earlier versions gave it: of all its cells. */
async function storedByEarlierVersion(
  table: 'settlements' | 'unmatched_report_lines',
  { serviceId }: BnplShop,
  line: Record<string, string>,
) {
  const keyOf = (...parts: (string | number)[]) => hash('sha256', JSON.stringify(parts)).slice(0, 32)
  const key = keyOf(keyOf('content', ...Object.values(line)), 1)
  await railyard.world.run(`update ${table} set line_key = $2::uuid where payment_service_id = $1`, [
    serviceId,
    key,
  ])
}

test('a line counts once, also in a later report with another column and another order of columns', async () => {
  const { line, read, settled } = await openSold()
  expect(await read('first', line)).toMatchObject({ settlement: 1 })
  expect(await read('one more', { ...line, country: 'DE' })).toMatchObject({ known: 1 })
  const turned = Object.fromEntries(Object.entries(line).reverse())
  expect(await read('another order', turned)).toMatchObject({ known: 1 })
  expect(await settled()).toBe(29_00)
})

test('equal lines count as often as a report has them', async () => {
  const { line, read, settled } = await openSold()
  expect(await read('first', line)).toMatchObject({ settlement: 1 })
  expect(await read('second', line, line)).toMatchObject({ known: 1, settlement: 1 })
  expect(await settled()).toBe(58_00)
})

test('a line that an earlier version booked counts once', async () => {
  const { shop, line, read, settled } = await openSold()
  const stored = { ...line, country: 'DE' }
  await read('first', stored)
  await storedByEarlierVersion('settlements', shop, stored)
  expect(
    await read('second', stored, { ...line, amount: '40,00', settled_amount: '39,00', country: 'DE' }),
  ).toEqual({
    read: 2,
    known: 1,
    settlement: 1,
  })
  expect(await settled()).toBe(68_00)
})

test('an unmatched line of an earlier version is booked once', async () => {
  const { shop, source, id, line, read, settled } = await openSold()
  const refer = (reference: string) =>
    railyard.world.run('update transactions set payment_service_transaction_id = $2 where id = $1', [
      id,
      reference,
    ])
  await refer('not known yet')
  expect(await read('first', line)).toMatchObject({ unknown_transaction: 1 })
  await storedByEarlierVersion('unmatched_report_lines', shop, line)
  expect(await read('second', line, { ...line, type: 'FEE' })).toMatchObject({ known: 1 })
  await refer(line.order_id)
  expect(await retryUnmatched(railyard.world, source)).toEqual({ settlement: 1 })
  expect(await read('third', line, { ...line, type: 'FEE', fee: '' })).toMatchObject({ known: 1 })
  expect((await shop.get('/reconciliation/unmatched-lines')).body.items).toEqual([])
  expect(await settled()).toBe(29_00)
})

/** Lets Klarna offer payouts, each with a version and its lines, and fetches their reports. */
async function fetchPayouts({ shop }: { shop: BnplShop }, payouts: Record<string, Record<string, string>[]>) {
  const connector = await switchReportsOn(railyard, shop)
  const linesOf = (lines: readonly Record<string, string>[]) => () =>
    (async function* (): ReportLines {
      yield* lines
    })()
  connector.offeredReports = async ({ service }) => ({
    offered:
      service.id === shop.serviceId
        ? Object.entries(payouts).map(([name, lines]) => ({
            name,
            version: hash('sha256', JSON.stringify(lines)),
            lines: linesOf(lines),
          }))
        : [],
  })
  railyard.clock.advance(DAY_MS)
  return railyard.reconciliation.runOnce()
}

test('equal lines of two captures, and of one capture in two payouts, all count', async () => {
  const sold = await openSold()
  const line = { ...sold.line, capture_id: 'c-1', payment_reference: 'A' }
  const payouts = {
    A: [line],
    B: [
      { ...line, capture_id: 'c-2', payment_reference: 'B' },
      { ...line, payment_reference: 'B' },
    ],
  }
  expect(await fetchPayouts(sold, payouts)).toBe(2)
  expect(await sold.settled()).toBe(3 * 29_00)
})

test('a line of a payout that an earlier version booked counts once, and an equal line of a later payout counts', async () => {
  const sold = await openSold()
  const line = { ...sold.line, capture_id: 'c-1', payment_reference: 'A' }
  expect(await fetchPayouts(sold, { A: [line] })).toBe(1)
  // without the columns that earlier versions did not write
  await storedByEarlierVersion('settlements', sold.shop, sold.line)
  const payouts = {
    A: [line, { ...line, type: 'FEE' }],
    B: [{ ...line, capture_id: 'c-2', payment_reference: 'B' }],
  }
  expect(await fetchPayouts(sold, payouts)).toBe(2)
  expect(await sold.settled()).toBe(2 * 29_00)
})
