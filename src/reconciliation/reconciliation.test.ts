import { afterAll, beforeAll, expect, test } from 'vitest'
import { cardReport, cellsOf, DAY_MS, readReport, reportOf, sourceOf } from '../../test/support/domains/reconciliation.ts'
import { startTestRailyard, type TestRailyard } from '../../test/support/railyard.ts'
import { openShop, type Payment, type Shop } from '../../test/support/shop.ts'
import type { ReportSource } from './ingest.ts'
import { missingSettlements } from './missing-settlements.ts'
import { retryUnmatched } from './retry-unmatched.ts'
import { allUnmatched } from './unmatched-line.store.ts'

let railyard: TestRailyard
let shop: Shop
let source: ReportSource
beforeAll(async () => {
  railyard = await startTestRailyard()
})
afterAll(() => railyard.close())

/** A shop without a past, whose payments were made three days ago. */
async function openWith(...amounts: number[]): Promise<Payment[]> {
  shop = await openShop(railyard)
  source = await sourceOf(railyard, shop.account, shop.paymentServiceId)
  const payments: Payment[] = []
  for (const amount of amounts) payments.push(await shop.sold(amount))
  railyard.clock.advance(3 * DAY_MS)
  return payments
}

async function unmatched(): Promise<{ reason: string; text: string }[]> {
  const found = []
  for await (const { reason, text } of allUnmatched(railyard.world, shop.account)) found.push({ reason, text })
  return found
}

async function missing(days = 0): Promise<string[]> {
  const found = []
  const before = new Date(railyard.clock.now() - days * DAY_MS)
  for await (const { transaction_id } of missingSettlements(railyard.world, source, before)) found.push(transaction_id)
  return found.sort()
}

const settled = async (payment: Payment) => (await payment.read()).settled_amount
const events = async (name: string) =>
  (await shop.get('/events?limit=100')).body.items.filter((event: { name: string }) => event.name === name).length

test('the breaks of a report are found, each by its kind, and nothing else is', async () => {
  const payments = await openWith(...Array.from({ length: 28 }, (_, index) => 10_00 + index))
  const refunded = payments.slice(14, 18)
  for (const payment of refunded) expect(await payment.refund({ amount: 5_00 })).toMatchObject({ status: 201 })
  railyard.clock.advance(2 * DAY_MS)
  const clean = cellsOf(await cardReport(railyard, shop.paymentServiceId))
  const settlements = clean.filter(({ type }) => type === 'settlement')
  const refunds = clean.filter(({ type }) => type === 'refund')
  expect([settlements.length, refunds.length]).toEqual([28, 4])
  const planted = new Map<string, string[]>()
  const broken = (reason: string, line: Record<string, string> | undefined, change: Record<string, string>) => {
    planted.set(reason, [...(planted.get(reason) ?? []), Object.values({ ...line, ...change }).join(',')])
    return { ...line, ...change }
  }
  const lines = [
    ...settlements.slice(0, 2).map((line, n) => broken('unknown_transaction', line, { payment_id: `pay_nobody_${n}` })),
    ...settlements
      .slice(2, 4)
      .map((line) => broken('amount_exceeds', line, { gross_amount: '2000', net_amount: String(2000 - Number(line['commission'])) })),
    ...settlements.slice(4, 6).map((line) => broken('amounts_disagree', line, { net_amount: String(Number(line['net_amount']) + 7) })),
    ...settlements.slice(6, 8).map((line) => broken('other_currency', line, { gross_currency: 'USD', currency: 'USD' })),
    ...settlements.slice(8, 10).map((line) => broken('malformed', line, { gross_amount: 'twelve' })),
    ...settlements.slice(12),
    ...settlements.slice(12, 14).map((line) => broken('duplicate', line, {})),
    ...settlements.slice(14, 16).map((line) => broken('settled_already', line, { line_id: `${line['line_id']}_again` })),
    ...refunds.slice(0, 2).map((line, n) => broken('unknown_refund', line, { refund_id: `ref_nobody_${n}` })),
    ...refunds.slice(2),
  ]
  const { counts } = await readReport(railyard, source, reportOf(lines))
  const found = await unmatched()
  const reasons = [...planted.keys()]
  expect(Object.groupBy(found, ({ reason }) => reason)).toEqual(
    Object.fromEntries(reasons.map((reason) => [reason, [expect.anything(), expect.anything()]])),
  )
  const texts = (wanted: string) => found.flatMap(({ reason, text }) => (reason === wanted ? text : [])).sort()
  for (const [reason, lines] of planted) expect(texts(reason)).toEqual(lines.sort())
  // ten were broken, and two have no line at all
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

test('the same file, and a later one with the same lines in it, change nothing', async () => {
  const [first, second] = await openWith(10_00, 20_00)
  const report = await cardReport(railyard, shop.paymentServiceId)
  const [header, ...lines] = report.trim().split('\n')
  await readReport(railyard, source, `${header}\n${lines[0]}\n`)
  expect(await readReport(railyard, source, `${header}\n${lines[0]}\n`, { name: 'copy.csv' })).toMatchObject({ status: 'known' })
  expect(await readReport(railyard, source, report)).toMatchObject({ counts: { read: 2, known: 1, settlement: 1 } })
  expect(await Promise.all([first, second].map((payment) => payment && settled(payment)))).toEqual([986, 1971])
  expect(await events('transaction.settled')).toBe(2)
  expect(await unmatched()).toEqual([])
})

test('what an earlier file said otherwise is found', async () => {
  await openWith(10_00)
  const [line] = cellsOf(await cardReport(railyard, shop.paymentServiceId))
  await readReport(railyard, source, reportOf([line ?? {}]))
  const changed = reportOf([{ ...line, commission: '15', net_amount: '985' }])
  expect(await readReport(railyard, source, changed)).toMatchObject({ counts: { changed: 1 } })
  expect(await unmatched()).toMatchObject([{ reason: 'changed' }])
})

test('a line that fits nothing is booked when what it is about is there', async () => {
  const [payment] = await openWith(10_00)
  const [line] = cellsOf(await cardReport(railyard, shop.paymentServiceId))
  await railyard.world.run('update transactions set payment_service_transaction_id = null where merchant_account_id = $1', [shop.account])
  await readReport(railyard, source, reportOf([line ?? {}]))
  expect(await unmatched()).toMatchObject([{ reason: 'unknown_transaction' }])
  expect(await retryUnmatched(railyard.world, source)).toEqual({})
  await railyard.world.run('update transactions set payment_service_transaction_id = $2 where merchant_account_id = $1', [
    shop.account,
    line?.['payment_id'],
  ])
  expect(await retryUnmatched(railyard.world, source)).toEqual({ settlement: 1 })
  expect(await unmatched()).toEqual([])
  expect(payment && (await settled(payment))).toBe(986)
})

test('lines that are tried again are tried in the order of their file', async () => {
  const payments = await openWith(...Array.from({ length: 8 }, () => 5_700_02))
  railyard.clock.advance(3 * DAY_MS)
  const report = await cardReport(railyard, shop.paymentServiceId)
  const references = await Promise.all(payments.map(async (payment) => (await payment.read()).payment_service_transaction_id))
  for (const payment of payments) await payment.correct({ payment_service_transaction_id: `not known yet ${payment.id}` })
  expect((await readReport(railyard, source, report)).counts).toMatchObject({ unknown_transaction: 24 })
  for (const [index, payment] of payments.entries()) await payment.correct({ payment_service_transaction_id: references[index] })
  // a reversal fits nothing before its chargeback
  expect(await retryUnmatched(railyard.world, source)).toEqual({ settlement: 8, chargeback: 8, 'chargeback-reversal': 8 })
})

test('a line that fits nothing is tried again as the newest file has it', async () => {
  const [payment] = await openWith(10_00)
  const [line = {}] = cellsOf(await cardReport(railyard, shop.paymentServiceId))
  await payment?.correct({ payment_service_transaction_id: 'not known yet' })
  await readReport(railyard, source, reportOf([{ ...line, net_amount: '993' }]))
  const [before] = (await shop.get('/reconciliation/unmatched-lines')).body.items
  const ignored = { ...line, line_id: 'payout', type: 'payout' }
  await readReport(railyard, source, reportOf([ignored, line]), { name: 'corrected.csv' })
  const [after] = (await shop.get('/reconciliation/unmatched-lines')).body.items
  expect(after).toMatchObject({ id: before.id, created_at: before.created_at, line: 3, text: Object.values(line).join(',') })
  expect(after.payment_service_report_id).not.toBe(before.payment_service_report_id)
  expect(after.payment_service_report_file_id).not.toBe(before.payment_service_report_file_id)
  await payment?.correct({ payment_service_transaction_id: line['payment_id'] })
  expect(await retryUnmatched(railyard.world, source)).toEqual({ settlement: 1 })
})

test('after a crash the same file goes on where it was', async () => {
  const payments = await openWith(10_00, 20_00)
  const [first, last] = cellsOf(await cardReport(railyard, shop.paymentServiceId))
  const payout = { ...first, type: 'payout', payment_id: '' }
  const lines = [first ?? {}, ...Array.from({ length: 4_500 }, (_, n) => ({ ...payout, line_id: `payout_${n}` })), last ?? {}]
  const dies = () => {
    throw new Error('killed')
  }
  await expect(readReport(railyard, source, reportOf(lines), { progress: dies })).rejects.toThrow('killed')
  expect(await Promise.all(payments.map(settled))).toEqual([986, 0])
  const again = await readReport(railyard, source, reportOf(lines))
  expect(again).toMatchObject({ status: 'read', readBefore: 4_001, counts: { read: 4_502, ignored: 4_500, settlement: 2 } })
  expect(await Promise.all(payments.map(settled))).toEqual([986, 1971])
  expect(await events('transaction.settled')).toBe(2)
})

test('a dry run says what would happen, and writes nothing', async () => {
  const [payment] = await openWith(10_00)
  const report = await cardReport(railyard, shop.paymentServiceId)
  expect(await readReport(railyard, source, report, { dryRun: true })).toMatchObject({ counts: { settlement: 1 } })
  expect(payment && (await settled(payment))).toBe(0)
  expect(await readReport(railyard, source, report)).toMatchObject({ status: 'read', counts: { settlement: 1 } })
})

test('two processes that read the same file book it once', async () => {
  const [payment] = await openWith(10_00)
  const report = await cardReport(railyard, shop.paymentServiceId)
  const both = await Promise.allSettled([readReport(railyard, source, report), readReport(railyard, source, report)])
  expect(both.some(({ status }) => status === 'fulfilled')).toBe(true)
  expect(payment && (await settled(payment))).toBe(986)
  expect(await events('transaction.settled')).toBe(1)
})

test('a file that is no report of this payment service is refused with the columns that it lacks', async () => {
  await openWith()
  const refused = (content: string | Buffer) => expect(readReport(railyard, source, content)).rejects
  await refused('a,b\n1,2\n').toThrow(/lacks the columns line_id, type, .*; it has a, b/)
  await refused('').toThrow('the file is empty')
  await refused(Buffer.from('\uFEFFline_id,type\n', 'utf16le')).toThrow('UTF-16')
  await refused(Buffer.from([0x1f, 0x8b, 8, 0])).toThrow('gzip')
})

test('what nobody should write into a report neither stops it nor gets into the books', async () => {
  const [payment] = await openWith(10_00)
  const [line] = cellsOf(await cardReport(railyard, shop.paymentServiceId))
  const own = (change: Record<string, string>) => Object.values({ ...line, ...change }).join(',')
  const hostile = [
    own({ line_id: 'nul\0', payment_id: 'a\0b' }),
    own({ line_id: 'formula', payment_id: '=HYPERLINK("http://x")' }),
    own({ line_id: 'card', payment_id: '4111111111111111' }),
    own({ line_id: 'card beside it', payment_id: 'pay_7 4111-1111-1111-1111' }),
    own({ line_id: 'proto', type: '__proto__' }),
    own({ line_id: 'huge', gross_amount: '9'.repeat(40) }),
    own({ line_id: 'negative', gross_amount: '-5' }),
    own({ line_id: 'quoted', payment_id: '"two\nlines"' }),
    own({ line_id: 'no such day', posted_at: '2026-02-30T12:00:00Z' }),
    `${own({ line_id: 'long' })},one,more`,
    own({}),
  ]
  const content = Buffer.concat([
    Buffer.from(`\uFEFF${Object.keys(line ?? {}).join(',')}\r\n${hostile.join('\r\n')}\r\n`),
    Buffer.from([0xff, 0xfe, 0x2c, 0x2c, 0x0a]),
  ])
  expect(await readReport(railyard, source, content)).toMatchObject({ counts: { read: 12, settlement: 1, unknown_transaction: 4, malformed: 7 } })
  expect(payment && (await settled(payment))).toBe(986)
  const kept = JSON.stringify(await railyard.world.run('select * from unmatched_report_lines where merchant_account_id = $1', [shop.account]))
  expect(kept.replaceAll('-', '')).not.toContain('4111111111111111')
  expect(kept).toContain('411111******1111')
})

test.each([
  ['a line without end', `line\n${'x'.repeat(70_000)}`],
  ['a quotation mark without end', '"open\n1,2\n'],
])('%s ends the reading with its place, and what stands before it is booked', async (_, end) => {
  const [payment] = await openWith(10_00)
  const report = await cardReport(railyard, shop.paymentServiceId)
  await expect(readReport(railyard, source, `${report}${end}`)).rejects.toThrow(/after line [23] \(byte \d+\); what stands before it was read/)
  expect(payment && (await settled(payment))).toBe(986)
})

test('a chargeback that was reversed may come back, for as much as was given back', async () => {
  const [payment] = await openWith(570002)
  railyard.clock.advance(2 * DAY_MS)
  const report = await cardReport(railyard, shop.paymentServiceId)
  expect(await readReport(railyard, source, report)).toMatchObject({ counts: { chargeback: 1, 'chargeback-reversal': 1 } })
  const chargeback = cellsOf(report).find(({ type }) => type === 'chargeback')
  const again = (line_id: string) => readReport(railyard, source, reportOf([{ ...chargeback, line_id }]))
  expect((await again('second')).counts).toMatchObject({ chargeback: 1 })
  expect((await again('third')).counts).toMatchObject({ settled_already: 1 })
  expect((await shop.get(`/transactions/${payment?.id}/chargebacks`)).body.items).toHaveLength(2)
})

test('lines of payments that were never ours are looked up again, and not written again', async () => {
  await openWith(10_00)
  const [line] = cellsOf(await cardReport(railyard, shop.paymentServiceId))
  await readReport(railyard, source, reportOf([{ ...line, payment_id: 'pay_elsewhere' }]))
  const kept = () => railyard.world.db.selectFrom('unmatched_report_lines').selectAll().where('merchant_account_id', '=', shop.account).execute()
  const before = await kept()
  expect(before).toMatchObject([{ reason: 'unknown_transaction' }])
  railyard.clock.advance(DAY_MS)
  expect(await retryUnmatched(railyard.world, source)).toEqual({})
  expect(await kept()).toEqual(before)
})
