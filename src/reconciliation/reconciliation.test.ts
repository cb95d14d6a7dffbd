import { expect, test } from 'vitest'
import {
  cardReport,
  cellsOf,
  DAY_MS,
  readReport,
  reportOf,
  sourceOf,
} from '../../test/support/domains/reconciliation.ts'
import { readEvents } from '../../test/support/events.ts'
import { openShop, type Payment, type Shop } from '../../test/support/shop.ts'
import { startRailyardForFile } from '../../test/support/start-railyard.ts'
import type { ReportSource } from './ingest.ts'
import { missingSettlements } from './missing-settlements.ts'
import { retryUnmatched } from './retry-unmatched.ts'
import { allUnmatched } from './unmatched-line.store.ts'

let shop: Shop
let source: ReportSource
const railyard = await startRailyardForFile()

/** Opens a new shop with payments of these amounts, three days ago. */
async function openWith(...amounts: number[]): Promise<Payment[]> {
  shop = await openShop(railyard)
  source = await sourceOf(railyard, shop.account, shop.paymentServiceId)
  const payments: Payment[] = []
  for (const amount of amounts) payments.push(await shop.sold(amount))
  railyard.clock.advance(3 * DAY_MS)
  return payments
}

async function unmatched(): Promise<{ reason: string; text: string }[]> {
  const rows = []
  for await (const { reason, text } of allUnmatched(railyard.world, shop.account)) rows.push({ reason, text })
  return rows
}

async function missing(days = 0): Promise<string[]> {
  const rows = []
  const before = new Date(railyard.clock.now() - days * DAY_MS)
  for await (const { transaction_id } of missingSettlements(railyard.world, source, before))
    rows.push(transaction_id)
  return rows.sort()
}

const settled = async (payment: Payment) => (await payment.read()).settled_amount
const events = async (name: string) =>
  (await readEvents(railyard, shop)).filter((event) => event.name === name).length

test('each broken line of a report is unmatched with its reason, and the other lines are booked', async () => {
  const payments = await openWith(...Array.from({ length: 28 }, (_, index) => 10_00 + index))
  const refunded = payments.slice(14, 18)
  for (const payment of refunded)
    expect(await payment.refund({ amount: 5_00 })).toMatchObject({ status: 201 })
  railyard.clock.advance(2 * DAY_MS)
  const clean = cellsOf(await cardReport(railyard, shop.paymentServiceId))
  const settlements = clean.filter(({ type }) => type === 'settlement')
  const refunds = clean.filter(({ type }) => type === 'refund')
  expect([settlements.length, refunds.length]).toEqual([28, 4])
  const brokenLines = new Map<string, string[]>()
  const broken = (
    reason: string,
    line: Record<string, string> | undefined,
    change: Record<string, string>,
  ) => {
    brokenLines.set(reason, [
      ...(brokenLines.get(reason) ?? []),
      Object.values({ ...line, ...change }).join(','),
    ])
    return { ...line, ...change }
  }
  const lines = [
    ...settlements
      .slice(0, 2)
      .map((line, n) => broken('unknown_transaction', line, { payment_id: `pay_nobody_${n}` })),
    ...settlements.slice(2, 4).map((line) =>
      broken('amount_exceeds', line, {
        gross_amount: '2000',
        net_amount: String(2000 - Number(line['commission'])),
      }),
    ),
    ...settlements
      .slice(4, 6)
      .map((line) =>
        broken('amounts_disagree', line, { net_amount: String(Number(line['net_amount']) + 7) }),
      ),
    ...settlements
      .slice(6, 8)
      .map((line) => broken('other_currency', line, { gross_currency: 'USD', currency: 'USD' })),
    ...settlements.slice(8, 10).map((line) => broken('malformed', line, { gross_amount: 'twelve' })),
    ...settlements.slice(12),
    ...settlements.slice(12, 14).map((line) => broken('duplicate', line, {})),
    ...settlements
      .slice(14, 16)
      .map((line) => broken('settled_already', line, { line_id: `${line['line_id']}_again` })),
    ...refunds.slice(0, 2).map((line, n) => broken('unknown_refund', line, { refund_id: `ref_nobody_${n}` })),
    ...refunds.slice(2),
  ]
  const { counts } = await readReport(railyard, source, reportOf(lines))
  const rows = await unmatched()
  const reasons = [...brokenLines.keys()]
  expect(Object.groupBy(rows, ({ reason }) => reason)).toEqual(
    Object.fromEntries(reasons.map((reason) => [reason, [expect.anything(), expect.anything()]])),
  )
  const texts = (expected: string) =>
    rows.flatMap(({ reason, text }) => (reason === expected ? text : [])).sort()
  for (const [reason, lines] of brokenLines) expect(texts(reason)).toEqual(lines.sort())
  // ten lines are broken, and two payments have no line
  expect(await missing(1)).toEqual(
    payments
      .slice(0, 12)
      .map(({ id }) => id)
      .sort(),
  )
  expect(counts).toMatchObject({ read: lines.length, settlement: 16, 'refund-settlement': 2 })
  for (const payment of payments.slice(12)) expect(await settled(payment)).toBeGreaterThan(0)
  for (const payment of payments.slice(0, 12)) expect(await settled(payment)).toBe(0)
})

test('reading the same file again, or a later file with the same lines, changes nothing', async () => {
  const [first, second] = await openWith(10_00, 20_00)
  const report = await cardReport(railyard, shop.paymentServiceId)
  const [header, ...lines] = report.trim().split('\n')
  await readReport(railyard, source, `${header}\n${lines[0]}\n`)
  expect(await readReport(railyard, source, `${header}\n${lines[0]}\n`, { name: 'copy.csv' })).toMatchObject({
    status: 'known',
  })
  expect(await readReport(railyard, source, report)).toMatchObject({
    counts: { read: 2, known: 1, settlement: 1 },
  })
  expect(await Promise.all([first, second].map((payment) => payment && settled(payment)))).toEqual([
    986, 1971,
  ])
  expect(await events('transaction.settled')).toBe(2)
  expect(await unmatched()).toEqual([])
})

test('a line that an earlier file had with other amounts is unmatched as changed', async () => {
  await openWith(10_00)
  const [line] = cellsOf(await cardReport(railyard, shop.paymentServiceId))
  await readReport(railyard, source, reportOf([line ?? {}]))
  const changed = reportOf([{ ...line, commission: '15', net_amount: '985' }])
  expect(await readReport(railyard, source, changed)).toMatchObject({ counts: { changed: 1 } })
  expect(await unmatched()).toMatchObject([{ reason: 'changed' }])
})

test('a line of an unknown payment is booked by a retry once the payment is known', async () => {
  const [payment] = await openWith(10_00)
  const [line] = cellsOf(await cardReport(railyard, shop.paymentServiceId))
  await railyard.world.run(
    'update transactions set payment_service_transaction_id = null where merchant_account_id = $1',
    [shop.account],
  )
  await readReport(railyard, source, reportOf([line ?? {}]))
  expect(await unmatched()).toMatchObject([{ reason: 'unknown_transaction' }])
  expect(await retryUnmatched(railyard.world, source)).toEqual({})
  await railyard.world.run(
    'update transactions set payment_service_transaction_id = $2 where merchant_account_id = $1',
    [shop.account, line?.['payment_id']],
  )
  expect(await retryUnmatched(railyard.world, source)).toEqual({ settlement: 1 })
  expect(await unmatched()).toEqual([])
  expect(payment && (await settled(payment))).toBe(986)
})

test('lines are retried in the order of their file', async () => {
  const payments = await openWith(...Array.from({ length: 8 }, () => 5_700_02))
  railyard.clock.advance(3 * DAY_MS)
  const report = await cardReport(railyard, shop.paymentServiceId)
  const references = await Promise.all(
    payments.map(async (payment) => (await payment.read()).payment_service_transaction_id),
  )
  for (const payment of payments)
    await payment.correct({ payment_service_transaction_id: `not known yet ${payment.id}` })
  expect((await readReport(railyard, source, report)).counts).toMatchObject({ unknown_transaction: 24 })
  for (const [index, payment] of payments.entries())
    await payment.correct({ payment_service_transaction_id: references[index] })
  // a reversal cannot be booked before its chargeback
  expect(await retryUnmatched(railyard.world, source)).toEqual({
    settlement: 8,
    chargeback: 8,
    'chargeback-reversal': 8,
  })
})

test('an unmatched line is retried as the newest file has it', async () => {
  const [payment] = await openWith(10_00)
  const [line = {}] = cellsOf(await cardReport(railyard, shop.paymentServiceId))
  await payment?.correct({ payment_service_transaction_id: 'not known yet' })
  await readReport(railyard, source, reportOf([{ ...line, net_amount: '993' }]))
  const [before] = (await shop.get('/reconciliation/unmatched-lines')).body.items
  const ignored = { ...line, line_id: 'payout', type: 'payout' }
  await readReport(railyard, source, reportOf([ignored, line]), { name: 'corrected.csv' })
  const [after] = (await shop.get('/reconciliation/unmatched-lines')).body.items
  expect(after).toMatchObject({
    id: before.id,
    created_at: before.created_at,
    line: 3,
    text: Object.values(line).join(','),
  })
  expect(after.payment_service_report_id).not.toBe(before.payment_service_report_id)
  expect(after.payment_service_report_file_id).not.toBe(before.payment_service_report_file_id)
  await payment?.correct({ payment_service_transaction_id: line['payment_id'] })
  expect(await retryUnmatched(railyard.world, source)).toEqual({ settlement: 1 })
})

test('after a crash reading the same file continues after the booked lines', async () => {
  const payments = await openWith(10_00, 20_00)
  const [first, last] = cellsOf(await cardReport(railyard, shop.paymentServiceId))
  const payout = { ...first, type: 'payout', payment_id: '' }
  const lines = [
    first ?? {},
    ...Array.from({ length: 4_500 }, (_, n) => ({ ...payout, line_id: `payout_${n}` })),
    last ?? {},
  ]
  const dies = () => {
    throw new Error('killed')
  }
  await expect(readReport(railyard, source, reportOf(lines), { progress: dies })).rejects.toThrow('killed')
  expect(await Promise.all(payments.map(settled))).toEqual([986, 0])
  const again = await readReport(railyard, source, reportOf(lines))
  expect(again).toMatchObject({
    status: 'read',
    readBefore: 4_001,
    counts: { read: 4_502, ignored: 4_500, settlement: 2 },
  })
  expect(await Promise.all(payments.map(settled))).toEqual([986, 1971])
  expect(await events('transaction.settled')).toBe(2)
})

test('a dry run answers the counts and writes nothing', async () => {
  const [payment] = await openWith(10_00)
  const report = await cardReport(railyard, shop.paymentServiceId)
  expect(await readReport(railyard, source, report, { dryRun: true })).toMatchObject({
    counts: { settlement: 1 },
  })
  expect(payment && (await settled(payment))).toBe(0)
  expect(await readReport(railyard, source, report)).toMatchObject({
    status: 'read',
    counts: { settlement: 1 },
  })
})

test('two processes that read the same file book it once', async () => {
  const [payment] = await openWith(10_00)
  const report = await cardReport(railyard, shop.paymentServiceId)
  const both = await Promise.allSettled([
    readReport(railyard, source, report),
    readReport(railyard, source, report),
  ])
  expect(both.some(({ status }) => status === 'fulfilled')).toBe(true)
  expect(payment && (await settled(payment))).toBe(986)
  expect(await events('transaction.settled')).toBe(1)
})

test('a file that is no report of this payment service is refused with the missing columns', async () => {
  await openWith()
  const expectRefusal = (content: string | Buffer) => expect(readReport(railyard, source, content)).rejects
  await expectRefusal('a,b\n1,2\n').toThrow(/lacks the columns line_id, type, .*; it has a, b/)
  await expectRefusal('').toThrow('the file is empty')
  await expectRefusal(Buffer.from('\uFEFFline_id,type\n', 'utf16le')).toThrow('UTF-16')
  await expectRefusal(Buffer.from([0x1f, 0x8b, 8, 0])).toThrow('gzip')
})

test('hostile or malformed lines neither stop a report nor are booked', async () => {
  const [payment] = await openWith(10_00)
  const [line] = cellsOf(await cardReport(railyard, shop.paymentServiceId))
  const lineWith = (change: Record<string, string>) => Object.values({ ...line, ...change }).join(',')
  const hostile = [
    lineWith({ line_id: 'nul\0', payment_id: 'a\0b' }),
    lineWith({ line_id: 'formula', payment_id: '=HYPERLINK("http://x")' }),
    lineWith({ line_id: 'card', payment_id: '4111111111111111' }),
    lineWith({ line_id: 'card beside it', payment_id: 'pay_7 4111-1111-1111-1111' }),
    lineWith({ line_id: 'proto', type: '__proto__' }),
    lineWith({ line_id: 'huge', gross_amount: '9'.repeat(40) }),
    lineWith({ line_id: 'negative', gross_amount: '-5' }),
    lineWith({ line_id: 'quoted', payment_id: '"two\nlines"' }),
    lineWith({ line_id: 'no such day', posted_at: '2026-02-30T12:00:00Z' }),
    `${lineWith({ line_id: 'long' })},one,more`,
    lineWith({}),
  ]
  const content = Buffer.concat([
    Buffer.from(`\uFEFF${Object.keys(line ?? {}).join(',')}\r\n${hostile.join('\r\n')}\r\n`),
    Buffer.from([0xff, 0xfe, 0x2c, 0x2c, 0x0a]),
  ])
  expect(await readReport(railyard, source, content)).toMatchObject({
    counts: { read: 12, settlement: 1, unknown_transaction: 4, malformed: 7 },
  })
  expect(payment && (await settled(payment))).toBe(986)
  const stored = JSON.stringify(
    await railyard.world.run('select * from unmatched_report_lines where merchant_account_id = $1', [
      shop.account,
    ]),
  )
  expect(stored.replaceAll('-', '')).not.toContain('4111111111111111')
  expect(stored).toContain('411111******1111')
})

test.each([
  ['a line without end', `line\n${'x'.repeat(70_000)}`],
  ['a quotation mark without end', '"open\n1,2\n'],
])(
  '%s ends the reading with an error that names the line, and the lines before it are booked',
  async (_, end) => {
    const [payment] = await openWith(10_00)
    const report = await cardReport(railyard, shop.paymentServiceId)
    await expect(readReport(railyard, source, `${report}${end}`)).rejects.toThrow(
      /after line [23] \(byte \d+\); what stands before it was read/,
    )
    expect(payment && (await settled(payment))).toBe(986)
  },
)

test('a chargeback that was reversed may come again, up to the reversed amount', async () => {
  const [payment] = await openWith(570002)
  railyard.clock.advance(2 * DAY_MS)
  const report = await cardReport(railyard, shop.paymentServiceId)
  expect(await readReport(railyard, source, report)).toMatchObject({
    counts: { chargeback: 1, 'chargeback-reversal': 1 },
  })
  const chargeback = cellsOf(report).find(({ type }) => type === 'chargeback')
  const again = (line_id: string) => readReport(railyard, source, reportOf([{ ...chargeback, line_id }]))
  expect((await again('second')).counts).toMatchObject({ chargeback: 1 })
  expect((await again('third')).counts).toMatchObject({ settled_already: 1 })
  expect((await shop.get(`/transactions/${payment?.id}/chargebacks`)).body.items).toHaveLength(2)
})

test('lines of unknown payments are looked up again, and not written again', async () => {
  await openWith(10_00)
  const [line] = cellsOf(await cardReport(railyard, shop.paymentServiceId))
  await readReport(railyard, source, reportOf([{ ...line, payment_id: 'pay_elsewhere' }]))
  const stored = () =>
    railyard.world.db
      .selectFrom('unmatched_report_lines')
      .selectAll()
      .where('merchant_account_id', '=', shop.account)
      .execute()
  const before = await stored()
  expect(before).toMatchObject([{ reason: 'unknown_transaction' }])
  railyard.clock.advance(DAY_MS)
  expect(await retryUnmatched(railyard.world, source)).toEqual({})
  expect(await stored()).toEqual(before)
})
