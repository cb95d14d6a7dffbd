import { type Static, Type } from 'typebox'
import type { ServiceCall } from '../../contract/call.ts'
import { ReportUnavailable } from '../../contract/offered-reports.ts'
import { Compile } from '../../wire/compile.ts'
import { readMovement } from '../answer.schema.ts'
import type { Wire } from '../wire.ts'

const text = Type.Optional(Type.String())
const Money = Type.Object({ currency_code: Type.String(), value: Type.String() })

const Info = Type.Object({
  transaction_id: text,
  paypal_reference_id: text,
  transaction_event_code: text,
  transaction_status: text,
  transaction_initiation_date: text,
  transaction_updated_date: text,
  transaction_amount: Type.Optional(Money),
  fee_amount: Type.Optional(Money),
})
type Info = Static<typeof Info>

const searchPage = Compile(
  Type.Object({
    transaction_details: Type.Optional(Type.Array(Type.Object({ transaction_info: Type.Optional(Info) }))),
    total_pages: Type.Optional(Type.Integer()),
  }),
)

const DAY_MS = 86_400_000
/** A transaction may be missing from the search for so long. */
const DELAY_MS = 3 * 3_600_000
const PAGE = 500
/** A search answers at most 10,000 transactions, and refuses a time that has more (`RESULTSET_TOO_LARGE`). */
const MAX_PAGES = 20
const TOO_MANY = 'RESULTSET_TOO_LARGE'
const SECOND_MS = 1_000

/** The whole days (UTC) since a time whose transactions can be searched for, as `2026-03-02`. */
export function searchableDays(since: string, now: number): string[] {
  const first = Math.floor(Date.parse(since) / DAY_MS)
  const end = Math.floor((now - DELAY_MS) / DAY_MS)
  return Array.from({ length: Math.max(0, end - first) }, (_, index) =>
    new Date((first + index) * DAY_MS).toISOString().slice(0, 10),
  )
}

/** What a payment, a refund, a dispute and its end are in the search; other transactions are of no payment. */
const kinds = new Set(['T0006', 'T1107', 'T1201', 'T1202'])

/** The lines of a day, as `settlementReport` reads them. */
export async function* linesOfDay(wire: Wire, call: ServiceCall, day: string) {
  const orders = new Map<string, string>()
  const start = Date.parse(day)
  for await (const info of transactionsIn(wire, call, { start, end: start + DAY_MS - SECOND_MS }))
    if (kinds.has(info.transaction_event_code ?? '') && info.transaction_status === 'S')
      yield lineOf(info, await orderOf(wire, call, orders, captureOf(info)))
}

/** From one second to another one, both included. */
interface Window {
  start: number
  end: number
}

/** The transactions of a time: of one that has too many, those of its halves. */
async function* transactionsIn(wire: Wire, call: ServiceCall, window: Window): AsyncGenerator<Info> {
  const { start, end } = window
  for (let page = 1; page <= MAX_PAGES; page += 1) {
    const found = await search(wire, call, window, page)
    // known from the first page, before any transaction is given
    if (page === 1 && (found === TOO_MANY || found.pages > MAX_PAGES)) {
      if (start === end)
        throw new ReportUnavailable(`one second has more transactions than PayPal's search answers`)
      const middle = start + Math.floor((end - start) / 2 / SECOND_MS) * SECOND_MS
      yield* transactionsIn(wire, call, { start, end: middle })
      yield* transactionsIn(wire, call, { start: middle + SECOND_MS, end })
      return
    }
    if (found === TOO_MANY) break
    yield* found.infos
    if (page >= found.pages) return
  }
  throw new ReportUnavailable('there are more transactions than the search said at first')
}

async function search(
  wire: Wire,
  call: ServiceCall,
  { start, end }: Window,
  page: number,
): Promise<{ infos: Info[]; pages: number } | typeof TOO_MANY> {
  const query = new URLSearchParams({
    start_date: secondOf(start),
    end_date: secondOf(end),
    fields: 'transaction_info',
    page_size: `${PAGE}`,
    page: `${page}`,
  })
  const body = await readBooks(wire, call, `/v1/reporting/transactions?${query}`, TOO_MANY)
  if (body === TOO_MANY) return TOO_MANY
  if (!searchPage.Check(body)) throw new ReportUnavailable('the transactions cannot be read')
  const { transaction_details: details = [], total_pages: pages = 1 } = body
  return { infos: details.flatMap(({ transaction_info: info }) => info ?? []), pages }
}

const secondOf = (time: number): string => `${new Date(time).toISOString().slice(0, 19)}Z`

/** The body of an answer; or the name of the refusal that the caller expects. */
async function readBooks<const Expected extends string = never>(
  wire: Wire,
  call: ServiceCall,
  path: string,
  expected?: Expected,
): Promise<Record<string, unknown> | Expected> {
  const reply = await wire.send(call, { method: 'GET', path })
  if (reply.refused) throw new ReportUnavailable(reply.refused.reason)
  if (reply.answer.lost) throw new ReportUnavailable(reply.answer.reason)
  if (reply.answer.status === 404) return {}
  if (expected !== undefined && namesOf(reply.answer.body).includes(expected)) return expected
  if (reply.answer.status !== 200) throw new ReportUnavailable(`HTTP ${reply.answer.status}`)
  return reply.answer.body
}

/** The names of a refusal: its own, and those of its details. */
function namesOf({ name, details }: Readonly<Record<string, unknown>>): unknown[] {
  const issues = Array.isArray(details) ? details.map((each: unknown) => isObject(each) && each['issue']) : []
  return [name, ...issues]
}

const isObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null

/** A payment is a capture; everything else refers to one. */
const captureOf = ({ transaction_event_code: code, transaction_id, paypal_reference_id }: Info) =>
  (code === 'T0006' ? transaction_id : paypal_reference_id) ?? ''

/** The order of a capture; of a payment that is none of Railyard's, the capture itself. */
async function orderOf(
  wire: Wire,
  call: ServiceCall,
  known: Map<string, string>,
  capture: string,
): Promise<string> {
  const cached = known.get(capture)
  if (cached !== undefined || capture === '') return cached ?? ''
  const body = await readBooks(wire, call, `/v2/payments/captures/${encodeURIComponent(capture)}`)
  const order = readMovement(body)?.supplementary_data?.related_ids?.order_id ?? capture
  known.set(capture, order)
  return order
}

function lineOf(info: Info, order: string): Record<string, string> {
  const { transaction_amount: gross, fee_amount: fee } = info
  const code = info.transaction_event_code ?? ''
  const currency = gross?.currency_code ?? ''
  // a fee in another currency than the amount: the line is reported as unreadable
  const isOneCurrency = fee === undefined || fee.currency_code === currency
  const line: Record<string, string> = {
    'Transaction ID': info.transaction_id ?? '',
    'Transaction Event Code': code,
    'Order ID': order,
    'Refund ID': code === 'T1107' ? (info.transaction_id ?? '') : '',
    'Gross Transaction Amount': gross?.value ?? '',
    'Gross Transaction Currency': currency,
    'Fee Amount': fee?.value ?? '',
    'Net Amount': isOneCurrency ? sum(gross?.value ?? '', fee?.value) : '',
    'Settlement Currency': currency,
    'Exchange Rate': '',
    'Transaction Completion Date': timeOf(info.transaction_updated_date ?? info.transaction_initiation_date),
  }
  return line
}

/** The sum of two decimals, exactly; empty: one cannot be read. */
function sum(amount: string, fee = '0'): string {
  const digits = Math.max(...[amount, fee].map((value) => value.split('.')[1]?.length ?? 0))
  const [a, b] = [amount, fee].map((value) => scaled(value, digits))
  if (a === undefined || b === undefined) return ''
  const total = a + b
  const units = `${total < 0n ? -total : total}`.padStart(digits + 1, '0')
  const sign = total < 0n ? '-' : ''
  return digits === 0 ? `${sign}${units}` : `${sign}${units.slice(0, -digits)}.${units.slice(-digits)}`
}

function scaled(value: string, digits: number): bigint | undefined {
  const [, sign, units = '', fraction = ''] = /^(-?)(\d{1,30})(?:\.(\d{1,10}))?$/.exec(value) ?? []
  return units === '' ? undefined : BigInt(`${sign}${units}${fraction.padEnd(digits, '0')}`)
}

/** A time as the report writes it, `2026/06/01 10:00:00 +0000`; empty: it cannot be read. */
function timeOf(time: string | undefined): string {
  const ms = Date.parse(time ?? '')
  if (Number.isNaN(ms)) return ''
  return `${new Date(ms).toISOString().slice(0, 19).replaceAll('-', '/').replace('T', ' ')} +0000`
}
