import { type Kysely, sql } from 'kysely'
import { timeOf } from '../base/clock.ts'
import { retryTransient } from '../database/postgres/retry-transient.ts'
import type { Tables } from '../database/tables.ts'
import { transactionTarget } from '../operations/journal/functions/event-target.sql.ts'
import { readDisputedAmounts } from '../transactions/disputes/disputed-amount.ts'
import type { World } from '../world.ts'
import { type MatchedBatch, type MatchedLine, matchBatch } from './match-batch.ts'
import { readEarlierLines, readMatchablePayments, type ServiceReference } from './matchable-payments.ts'
import type { PlacedLine } from './report-line.ts'
import { storeUnmatched } from './unmatched-line.store.ts'

export type BookingContext = Pick<World, 'db' | 'clock' | 'ids'>

/** The payment service of the report whose lines are booked. */
export interface BookedService extends ServiceReference {
  definition: string
  displayName: string
}

/** Thrown at the end of a dry run, so that its transaction is rolled back. */
class DryRun extends Error {
  readonly batch: MatchedBatch
  constructor(batch: MatchedBatch) {
    super('dry run')
    this.batch = batch
  }
}

/**
 * Matches lines of a report with payments, and writes settlements, the columns of transactions and refunds,
 * and events, in one commit with what `also` writes. The batches of a payment service are booked one after
 * the other, also those of other processes, so that the earlier lines do not change while these are matched.
 */
export async function bookLines(
  world: BookingContext,
  service: BookedService,
  lines: readonly PlacedLine[],
  also: (db: Kysely<Tables>, batch: MatchedBatch) => Promise<void>,
  { dryRun = false } = {},
): Promise<MatchedBatch> {
  const bookOnce = () =>
    world.db.transaction().execute(async (db) => {
      await lockService(db, service)
      const earlierLines = await readEarlierLines(db, service, lines)
      const batch = matchBatch(lines, earlierLines, await readMatchablePayments(db, service, lines))
      const disputed = await lockDisputedPayments(db, service, batch.matched)
      if (batch.matched.length > 0) await insertSettlements(db, world, service, batch.matched, disputed)
      await storeUnmatched(db, world, service, batch)
      await also(db, batch)
      if (dryRun) throw new DryRun(batch)
      return batch
    })
  try {
    return await retryTransient(bookOnce)
  } catch (error) {
    if (error instanceof DryRun) return error.batch
    throw error
  }
}

/**
 * Makes other processes wait with lines of this payment service until the commit. Payments do not wait: they
 * only reference its row.
 */
async function lockService(db: Kysely<Tables>, { account, service }: ServiceReference): Promise<void> {
  await db
    .selectFrom('payment_services')
    .select('id')
    .where('merchant_account_id', '=', account)
    .where('id', '=', service)
    .forNoKeyUpdate()
    .execute()
}

/**
 * Makes notices of disputes wait until the commit (`recordDispute`), so that the statement that counts
 * chargebacks and reversals sees the ones of earlier commits. Returns the ids of the payments with chargebacks and
 * reversals.
 */
async function lockDisputedPayments(
  db: Kysely<Tables>,
  { account }: ServiceReference,
  matched: readonly MatchedLine[],
): Promise<string[]> {
  const lines = matched.filter(
    ({ line: { kind } }) => kind === 'chargeback' || kind === 'chargeback-reversal',
  )
  const payments = [...new Set(lines.map(({ transaction }) => transaction))]
  if (payments.length > 0)
    await db
      .selectFrom('transactions')
      .select('id')
      .where('merchant_account_id', '=', account)
      .where('id', 'in', payments)
      .orderBy('id')
      .forNoKeyUpdate()
      .execute()
  return payments
}

/** The columns of a line as it travels to `insertSettlements`, in JSON. */
const lineColumns = {
  key: 'uuid',
  id: 'uuid',
  type: 'text',
  transaction: 'uuid',
  refund: 'uuid',
  posted_at: 'timestamptz',
  gross: 'bigint',
  currency: 'text',
  amount: 'bigint',
  exchange_rate: 'double precision',
  commission: 'bigint',
  interchange: 'bigint',
  markup: 'bigint',
  scheme_fee: 'bigint',
  report: 'uuid',
  file: 'uuid',
  number: 'bigint',
  event: 'uuid',
  event_name: 'text',
  ordinal: 'int',
} as const

type LineRow = Record<keyof typeof lineColumns, string | number | null>

const lineRecord = Object.entries(lineColumns)
  .map(([name, type]) => `${name} ${type}`)
  .join(', ')

/**
 * Inserts the settlements, adds their amounts to transactions and refunds, and writes the events. A transaction
 * counts its own events: each settlement, chargeback and reversal has one. All events of a batch show the
 * transaction as it is after the batch.
 */
async function insertSettlements(
  db: Kysely<Tables>,
  world: BookingContext,
  service: BookedService,
  matched: readonly MatchedLine[],
  disputed: readonly string[],
): Promise<void> {
  const now = timeOf(world.clock)
  const eventCounts = new Map<string, number>()
  const rows = matched.map(
    ({ key, reportId, fileId, number, line, transaction, refund, eventName }): LineRow => {
      const ordinal = (eventCounts.get(transaction) ?? 0) + 1
      if (eventName !== null) eventCounts.set(transaction, ordinal)
      return {
        key,
        id: world.ids.next(),
        type: line.kind,
        transaction,
        refund,
        posted_at: line.postedAt,
        gross: line.gross,
        currency: line.currency,
        amount: line.net,
        exchange_rate: line.exchangeRate,
        commission: line.commission,
        interchange: line.interchange,
        markup: line.markup,
        scheme_fee: line.schemeFee,
        report: reportId,
        file: fileId,
        number,
        event: eventName && world.ids.next(),
        event_name: eventName,
        ordinal,
      }
    },
  )
  const line = sql`json_to_recordset(${JSON.stringify(rows)}::json) as l(${sql.raw(lineRecord)})`
  await sql`
    insert into settlements (merchant_account_id, payment_service_id, line_key, id, type, transaction_id, refund_id, posted_at, ingested_at,
                             gross_amount, currency, amount, exchange_rate, commission, interchange, markup, scheme_fee, report_id, file_id, line)
    select ${service.account}, ${service.service}::uuid, key, id, type, transaction, refund, posted_at, ${now}::timestamptz,
           gross, currency, amount, exchange_rate, commission, interchange, markup, scheme_fee, report, file, number
      from ${line}`.execute(db)
  const disputedAmounts = await readDisputedAmounts(db, service.account, disputed)
  await sql`
    with line as materialized (
      select * from ${line}
    ), dispute as (
      select * from json_to_recordset(${JSON.stringify(disputedAmounts)}::json) as d(id uuid, amount bigint)
    ), total as (
      select transaction,
             sum(amount) filter (where type = 'settlement') as settled,
             max(currency) filter (where type = 'settlement') as currency,
             bool_or(type = 'chargeback') as disputed,
             count(event)::int as events
        from line
       group by transaction
    ), updated as (
      update transactions t
         set settled = t.settled or total.settled is not null,
             settled_amount = t.settled_amount + coalesce(total.settled, 0),
             settled_currency = coalesce(t.settled_currency, total.currency),
             disputed = t.disputed or total.disputed,
             disputed_amount = case when dispute.id is null then t.disputed_amount else dispute.amount end,
             event_count = t.event_count + total.events,
             updated_at = ${now}::timestamptz
        from total
        left join dispute on dispute.id = total.transaction
       where t.merchant_account_id = ${service.account}
         and t.id = total.transaction
      returning t.*, t.event_count - total.events as earlier_events
    ), refunded as (
      update operations o
         set settled_amount = coalesce(o.settled_amount, 0) + part.amount,
             settled_currency = part.currency,
             updated_at = ${now}::timestamptz
        from (select refund, sum(amount) as amount, max(currency) as currency
                from line
               where refund is not null
               group by refund) part
       where o.merchant_account_id = ${service.account}
         and o.id = part.refund
    )
    insert into events (merchant_account_id, id, name, target_id, sequence, target, created_at)
    select ${service.account}, line.event, line.event_name, u.id, u.earlier_events + line.ordinal,
           ${sql.raw(transactionTarget('u', 'u.updated_at'))}, ${now}::timestamptz
      from line
      join updated u on u.id = line.transaction
     where line.event is not null`.execute(db)
}
