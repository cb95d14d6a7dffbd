import { type Kysely, sql } from 'kysely'
import type { Tables } from '../database/tables.ts'
import { countDispute, type DisputeLine } from './disputes.ts'
import type { MatchablePayment } from './match-line.ts'
import type { PlacedLine } from './report-line.ts'

/** A payment service of an account. */
export interface ServiceReference {
  account: string
  /** The id of the payment service. */
  service: string
}

/** What an earlier run has stored under a line's key. */
export type EarlierLine =
  | (LinePlace & { kind: 'booked'; gross: number; net: number; currency: string })
  | (LinePlace & { kind: 'unmatched' })

type LinePlace = Pick<PlacedLine, 'reportId' | 'fileId' | 'number'>

interface EarlierRow {
  key: string
  report_id: string
  file_id: string
  line: number
  gross: number | null
  net: number
  currency: string
}

/**
 * The lines of these that were read before, by their keys and former keys. Each key is looked up by itself: while the tables
 * are young and not analyzed, PostgreSQL would rather read all lines of the payment service.
 */
export async function readEarlierLines(
  db: Kysely<Tables>,
  { account, service }: ServiceReference,
  lines: readonly PlacedLine[],
): Promise<Map<string, EarlierLine>> {
  const keys = lines.flatMap(({ key, formerKey }) => (formerKey === null ? key : [key, formerKey.key]))
  const { rows } = await sql<EarlierRow>`
    select replace(key::text, '-', '') as key, earlier.*
      from unnest(${keys}::uuid[]) key
     cross join lateral (
       select report_id, file_id, line, gross_amount as gross, amount as net, currency
         from settlements
        where merchant_account_id = ${account}
          and payment_service_id = ${service}
          and line_key = key
        union all
       select report_id, file_id, line, null::bigint, 0, ''
         from unmatched_report_lines
        where merchant_account_id = ${account}
          and payment_service_id = ${service}
          and line_key = key
     ) earlier`.execute(db)
  return new Map(
    rows.map(({ key, report_id: reportId, file_id: fileId, line: number, gross, net, currency }) => [
      key,
      gross === null
        ? { kind: 'unmatched', reportId, fileId, number }
        : { kind: 'booked', reportId, fileId, number, gross, net, currency },
    ]),
  )
}

interface PaymentRow {
  reference: string
  id: string
  currency: string
  captured: number
  settled_currency: string | null
  /** Whether lines were booked for it before. */
  has_lines: boolean
  disputed: boolean
}

/** The payments of these lines, by the payment service's ids. */
export async function readMatchablePayments(
  db: Kysely<Tables>,
  source: ServiceReference,
  lines: readonly PlacedLine[],
): Promise<Map<string, MatchablePayment>> {
  const { account, service } = source
  const readable = lines.flatMap(({ line }) => line ?? [])
  const references = [...new Set(readable.map(({ payment }) => payment))]
  // the last one of a reference wins: of a renewed payment, the report is about the transaction that was
  // captured
  const { rows } = await sql<PaymentRow>`
    select payment_service_transaction_id as reference, id, currency, captured_amount as captured, settled_currency,
           settled or disputed as has_lines, disputed
      from transactions
     where merchant_account_id = ${account}
       and payment_service_transaction_id = any(${references}::text[])
       and payment_service_id = ${service}
     order by captured_amount`.execute(db)
  const payments = new Map<string, MatchablePayment>(
    rows.map(({ reference, id, currency, captured, settled_currency: settledCurrency }) => [
      reference,
      {
        id,
        currency,
        captured,
        settledCurrency,
        booked: { settlement: 0, chargeback: 0, 'chargeback-reversal': 0 },
        regained: 0,
        refunds: new Map(),
      },
    ]),
  )
  const byId = new Map([...payments.values()].map((payment) => [payment.id, payment]))
  const refunded = readable.flatMap(({ kind, payment }) =>
    kind === 'refund-settlement' ? (payments.get(payment)?.id ?? []) : [],
  )
  if (refunded.length > 0) await addRefunds(db, account, refunded, byId)
  const withLines = rows.flatMap(({ id, has_lines }) => (has_lines ? id : []))
  const withAmounts = [...new Set([...withLines, ...refunded])]
  if (withAmounts.length > 0) await addBookedAmounts(db, account, withAmounts, byId)
  const disputed = rows.flatMap(({ id, disputed }) => (disputed ? id : []))
  if (disputed.length > 0) await addDisputes(db, account, disputed, byId)
  return payments
}

interface RefundRow {
  transaction_id: string
  id: string
  reference: string
  amount: number
  currency: string
  settled_currency: string | null
}

async function addRefunds(
  db: Kysely<Tables>,
  account: string,
  ids: readonly string[],
  payments: Map<string, MatchablePayment>,
): Promise<void> {
  const { rows } = await sql<RefundRow>`
    select transaction_id, id, payment_service_operation_id as reference, coalesce(effective_amount, amount) as amount, currency, settled_currency
      from operations
     where merchant_account_id = ${account}
       and transaction_id = any(${ids}::uuid[])
       and kind = 'refund'
       and status = 'approved'
       and payment_service_operation_id is not null`.execute(db)
  for (const { transaction_id, reference, settled_currency: settledCurrency, ...refund } of rows)
    payments.get(transaction_id)?.refunds.set(reference, { ...refund, booked: 0, settledCurrency })
}

interface BookedRow {
  transaction_id: string
  refund_id: string | null
  type: 'settlement' | 'refund-settlement' | 'chargeback' | 'chargeback-reversal'
  gross: number
}

async function addBookedAmounts(
  db: Kysely<Tables>,
  account: string,
  ids: readonly string[],
  payments: Map<string, MatchablePayment>,
): Promise<void> {
  const { rows } = await sql<BookedRow>`
    select transaction_id, refund_id, type, sum(gross_amount)::bigint as gross
      from settlements
     where merchant_account_id = ${account}
       and transaction_id = any(${ids}::uuid[])
     group by transaction_id, refund_id, type`.execute(db)
  for (const { transaction_id, refund_id, type, gross } of rows) {
    const payment = payments.get(transaction_id)
    if (!payment) continue
    if (type !== 'refund-settlement') {
      payment.booked[type] = gross
      continue
    }
    const refund = [...payment.refunds.values()].find(({ id }) => id === refund_id)
    if (refund) refund.booked = gross
  }
}

/**
 * Counts chargebacks and reversals in the order in which they were booked: it decides which event a further
 * one has.
 */
async function addDisputes(
  db: Kysely<Tables>,
  account: string,
  ids: readonly string[],
  payments: Map<string, MatchablePayment>,
): Promise<void> {
  const { rows } = await sql<{ transaction_id: string; type: DisputeLine; gross_amount: number }>`
    select transaction_id, type, gross_amount
      from settlements
     where merchant_account_id = ${account}
       and transaction_id = any(${ids}::uuid[])
       and type in ('chargeback', 'chargeback-reversal')
     order by ingested_at, id`.execute(db)
  for (const { transaction_id, type, gross_amount: gross } of rows) {
    const payment = payments.get(transaction_id)
    if (payment) countDispute(payment, type, gross)
  }
}
