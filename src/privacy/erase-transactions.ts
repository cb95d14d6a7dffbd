import { type Kysely, sql } from 'kysely'
import { currentTimeValues, isInCurrentTimeSql } from '../base/account-clock.ts'
import { timeOf } from '../base/clock.ts'
import { namedStatement } from '../database/named-statement.ts'
import type { Tables } from '../database/tables.ts'
import { refreshPayments } from '../insights/columns/refresh-payments.ts'
import { entriesOf, type StoredTimeline } from '../operations/journal/journal.ts'
import { timelineEntries } from '../operations/journal/read-timeline.ts'
import { isOpen, type OperationRow } from '../operations/operation.ts'
import { eraseFilesAboutPeople } from '../reports/executions/erase-files.ts'
import type { TransactionRow } from '../transactions/transaction.row.ts'
import { dropSealedInstrument } from '../vault/secrets/sealed-instrument.ts'
import { dropSecurityCode } from '../vault/secrets/security-code.ts'
import type { World } from '../world.ts'
import { eraseDeliveries, eraseEventsAt } from './erase-events.ts'
import { eraseLinkOfPayment } from './erase-links.ts'
import { eraseOperations } from './erase-operations.ts'
import { eraseStoredAnswers } from './erase-stored-answers.ts'
import { type ErasedTransaction, erasedTimeline, erasedTransaction } from './erased-rows.ts'
import { type EventPosition, findPaymentEvents } from './find-payment-events.ts'

const BATCH = 20

interface DueTransaction {
  account: string
  id: string
  /** It was never erased before. */
  is_first: boolean
}

const selectDue = namedStatement(
  ['afterAccount', 'afterId', 'account', 'currentAccount', 'movedAccounts'],
  (p) => `
select merchant_account_id as account, id, erased_at = '-infinity' as is_first
  from transactions
 where erased_at <> updated_at
   and (merchant_account_id, id) > (${p.afterAccount}, ${p.afterId}::uuid)
   and (${p.account}::text is null or merchant_account_id = ${p.account})
   and ${isInCurrentTimeSql('merchant_account_id', 4)}
 order by merchant_account_id, id
 limit ${BATCH}`,
)

/**
 * Erases the payments that are to be erased, and those that have changed since their erasure. `account`: only
 * the payments of this account. Begins no batch once `stopped`. Answers how many payments it has erased.
 */
export async function eraseDueTransactions(
  world: World,
  stopped: () => boolean,
  account: string | null = null,
): Promise<number> {
  let count = 0
  let last: Pick<DueTransaction, 'account' | 'id'> | undefined = {
    account: '',
    id: '00000000-0000-0000-0000-000000000000',
  }
  while (last && !stopped()) {
    const [currentAccount, movedAccounts] = currentTimeValues()
    const position = { afterAccount: last.account, afterId: last.id }
    const rows: DueTransaction[] = await selectDue.run<DueTransaction & Record<string, unknown>>(world, {
      ...position,
      account,
      currentAccount,
      movedAccounts,
    })
    for (const [owner, payments] of Map.groupBy(rows, (row) => row.account))
      count += await eraseTransactions(world, owner, payments)
    last = rows.length < BATCH ? undefined : rows.at(-1)
  }
  return count
}

/**
 * Erases payments of an account, each in its own commit, then the answers of webhook receivers to their events, and the
 * data made of them (roll-ups, report files). Only then it marks them as erased, so that after a crash in between
 * everything is done again. Answers how many are erased; the others wait for an operation.
 */
export async function eraseTransactions(
  world: World,
  account: string,
  payments: readonly Pick<DueTransaction, 'id' | 'is_first'>[],
): Promise<number> {
  const erased: { id: string; updated_at: string }[] = []
  const events: string[] = []
  for (const { id } of payments) {
    const erasure = await eraseTransaction(world, account, id)
    if (!erasure) continue
    events.push(...erasure.events)
    if (!erasure.isWaiting) erased.push({ id, updated_at: erasure.updatedAt })
  }
  await world.db.transaction().execute((db) => eraseDeliveries(db, account, events))
  if (erased.length === 0) return 0
  const ids = erased.map(({ id }) => id)
  if (!(await refreshPayments(world, account, ids))) return 0
  if (payments.some((payment) => payment.is_first && ids.includes(payment.id)))
    await world.db.transaction().execute((db) => eraseFilesAboutPeople(db, world, account))
  await sql`
    update transactions t
       set erased_at = t.updated_at
      from json_to_recordset(${JSON.stringify(erased)}::json) erased (id uuid, updated_at timestamptz)
     where t.merchant_account_id = ${account}
       and t.id = erased.id
       and t.updated_at = erased.updated_at`.execute(world.db)
  return erased.length
}

interface PaymentErasure {
  /** The payment's `updated_at` afterwards. */
  updatedAt: string
  /** Its events and those of its link, whose deliveries are still to be erased. */
  events: string[]
  /** Its link can still be paid. */
  isWaiting: boolean
}

/** Erases one payment. Undefined: an operation of it is under way, or another process has locked it. */
async function eraseTransaction(
  world: World,
  account: string,
  id: string,
): Promise<PaymentErasure | undefined> {
  const payment = await readPayment(world.db, account, id)
  if (!payment || isUnderWay(payment)) return undefined
  // before the payment is locked, since this may read the whole log
  const events = await findPaymentEvents(
    world,
    account,
    eventCountsOf(payment),
    await changeTimesOf(world.db, payment),
  )
  return world.db.transaction().execute(async (db) => {
    const row = await lockTransaction(db, account, id)
    // a change since then may have written another event: the payment is due again
    if (!row || row.updated_at !== payment.row.updated_at) return undefined
    return eraseLocked(world, db, payment, events)
  })
}

async function eraseLocked(
  world: World,
  db: Kysely<Tables>,
  { row, operations }: PaymentWithOperations,
  events: readonly EventPosition[],
): Promise<PaymentErasure> {
  const { merchant_account_id: account, id } = row
  const ids = [id, ...operations.map((operation) => operation.id)]
  const times = [row.created_at, ...operations.map((operation) => operation.created_at)]
  const journalChanged = await eraseOperations(db, account, operations)
  const timelineChanged = await eraseTimeline(db, account, id)
  await markRenewalsForErasure(db, account, id, operations)
  await eraseStoredAnswers(db, account, ids, times)
  await eraseEventsAt(db, account, events)
  await dropSealedInstrument({ db }, account, id)
  if (row.checkout_session_id) await deleteSession(db, account, row.checkout_session_id)
  if (row.details.delegated_payment) await eraseDelegatedCard(db, account, row.details.delegated_payment.row)
  await eraseCheckout(db, account, id)
  // a link that can still be paid must wait until it is paid or expires
  const ofLink = row.payment_link_id ? await eraseLinkOfPayment(world, db, account, row.payment_link_id) : []
  return {
    updatedAt: await rewrite(world, db, row, erasedTransaction(row), journalChanged || timelineChanged),
    events: [...events.map((event) => event.id), ...(ofLink ?? [])],
    isWaiting: ofLink === undefined,
  }
}

export interface PaymentWithOperations {
  row: TransactionRow
  operations: OperationRow[]
}

export async function readPayment(
  db: Kysely<Tables>,
  account: string,
  id: string,
): Promise<PaymentWithOperations | undefined> {
  const { rows } = await sql<PaymentWithOperations>`
    select row_to_json(t) as row,
           coalesce(
             (select json_agg(row_to_json(o) order by o.id)
                from operations o
               where o.merchant_account_id = t.merchant_account_id
                 and o.transaction_id = t.id),
             '[]'
           ) as operations
      from transactions t
     where merchant_account_id = ${account}
       and id = ${id}`.execute(db)
  return rows[0]
}

const isUnderWay = ({ row, operations }: PaymentWithOperations): boolean =>
  isOutcomeUndecided(row) || operations.some(({ status }) => isOpen(status))

export const eventCountsOf = ({ row, operations }: PaymentWithOperations) =>
  [row, ...operations].map(({ id, event_count }) => ({ id, event_count }))

/**
 * When the payment changed, in milliseconds since 1970. Each change with an event has an entry in the
 * timeline, or comes from a settlement report.
 */
export async function changeTimesOf(
  db: Kysely<Tables>,
  { row: { merchant_account_id: account, id, created_at }, operations }: PaymentWithOperations,
): Promise<number[]> {
  const timeline = await readTimeline(db, account, id)
  const { rows } = await sql<{ time: string }>`
    select to_json(ingested_at) #>> '{}' as time
      from settlements
     where merchant_account_id = ${account}
       and transaction_id = ${id}`.execute(db)
  const entries = timelineEntries(timeline, operations)
  return [created_at, ...entries.map((entry) => entry.created_at), ...rows.map(({ time }) => time)].map(
    Date.parse,
  )
}

/** While its outcome is undecided, a payment may still need its buyer's data. */
const isOutcomeUndecided = ({
  intent_outcome,
  active_operation_id,
  pending_review,
}: TransactionRow): boolean => intent_outcome === 'pending' || active_operation_id !== null || pending_review

/** Undefined: another transaction has locked the row, or there is none. */
async function lockTransaction(
  db: Kysely<Tables>,
  account: string,
  id: string,
): Promise<TransactionRow | undefined> {
  const { rows } = await sql<{ transaction: TransactionRow }>`
    select row_to_json(t) as transaction
      from transactions t
     where merchant_account_id = ${account}
       and id = ${id}
       for no key update skip locked`.execute(db)
  return rows[0]?.transaction
}

/**
 * Marks the payments that renewed this one's authorization, which have the same buyer. Their ids are in the
 * timeline, where an erasure leaves them.
 */
async function markRenewalsForErasure(
  db: Kysely<Tables>,
  account: string,
  transaction: string,
  operations: readonly OperationRow[],
): Promise<void> {
  const entries = timelineEntries(await readTimeline(db, account, transaction), operations)
  const renewals = entries
    .filter(({ name }) => name === 'reauthorization-created')
    .map(({ context }) => context['transaction_id'])
  if (renewals.length === 0) return
  await sql`
    update transactions
       set erased_at = '-infinity'
     where merchant_account_id = ${account}
       and erased_at is null
       and id = any(${renewals}::uuid[])`.execute(db)
}

async function readTimeline(
  db: Kysely<Tables>,
  account: string,
  transaction: string,
): Promise<(StoredTimeline & { id: string })[]> {
  const { rows } = await sql<StoredTimeline & { id: string }>`
    select id, entries, packed
      from transaction_events
     where merchant_account_id = ${account}
       and transaction_id = ${transaction}`.execute(db)
  return rows
}

/** True: the timeline has changed. */
async function eraseTimeline(db: Kysely<Tables>, account: string, transaction: string): Promise<boolean> {
  const erased = (await readTimeline(db, account, transaction)).flatMap((stored) => {
    const { id } = stored
    const entries = entriesOf(stored)
    const lines = erasedTimeline(entries)
    return JSON.stringify(lines) === JSON.stringify(entries) ? [] : [{ id, entries: lines }]
  })
  if (erased.length === 0) return false
  await sql`
    update transaction_events e
       set entries = erased.entries,
           packed = null
      from json_to_recordset(${JSON.stringify(erased)}::json) erased (id uuid, entries json)
     where e.merchant_account_id = ${account}
       and e.transaction_id = ${transaction}
       and e.id = erased.id`.execute(db)
  return true
}

/**
 * A token that a failed payment gave back could pay until it expires: with the card it loses that. The answer to the
 * platform has its metadata, too.
 */
async function eraseDelegatedCard(db: Kysely<Tables>, account: string, id: string): Promise<void> {
  const delegated = await db
    .updateTable('delegated_payments')
    .set({ key_id: null, data_key: null, sealed: null, risk_signals: '[]', metadata: '{}' })
    .where('merchant_account_id', '=', account)
    .where('id', '=', id)
    .returning('created_at')
    .executeTakeFirst()
  if (delegated) await eraseStoredAnswers(db, account, [id], [delegated.created_at])
  await dropSecurityCode({ db }, account, id)
}

/**
 * The cart of an AI agent's platform: what it says of the buyer, and all of the price but what the order shows. The
 * platform has a copy.
 */
export async function eraseCheckout(db: Kysely<Tables>, account: string, transaction: string): Promise<void> {
  const { rows } = await sql<{ id: string; price: unknown }>`
    select id,
           jsonb_build_object(
             'totals', price->'totals',
             'fulfillment_options', '[]'::jsonb,
             'messages', '[]'::jsonb,
             'links', price->'links',
             'line_items', (
               select jsonb_agg(jsonb_build_object(
                        'id', line->'id',
                        'item', line->'item',
                        'quantity', line->'quantity',
                        'totals', line->'totals'))
                 from jsonb_array_elements(price->'line_items') line)) as price
      from agentic_checkouts
     where merchant_account_id = ${account}
       and transaction_id = ${transaction}
       for no key update`.execute(db)
  for (const { id, price } of rows)
    await db
      .updateTable('agentic_checkouts')
      .set({ request: '{}', price: JSON.stringify(price) })
      .where('merchant_account_id', '=', account)
      .where('id', '=', id)
      .execute()
}

/** Deletes the checkout session that has paid, with its security code. */
async function deleteSession(db: Kysely<Tables>, account: string, id: string): Promise<void> {
  await db
    .deleteFrom('checkout_sessions')
    .where('merchant_account_id', '=', account)
    .where('id', '=', id)
    .execute()
  await dropSecurityCode({ db }, account, id)
}

/**
 * Writes the erased members. A change moves `updated_at`, so that systems with copies of payments fetch this
 * one again: by a microsecond past the milliseconds that clocks give, so that no later change has the same time.
 * Without the column, which is as in the locked row: Citus adds an interval to parameters only. Answers `updated_at`.
 */
async function rewrite(
  { clock }: Pick<World, 'clock'>,
  db: Kysely<Tables>,
  row: TransactionRow,
  erased: ErasedTransaction,
  changedElsewhere: boolean,
): Promise<string> {
  const before = Object.fromEntries(
    Object.keys(erased).map((name) => [name, row[name as keyof ErasedTransaction]]),
  )
  if (!changedElsewhere && JSON.stringify(erased) === JSON.stringify(before)) return row.updated_at
  const json = (value: unknown) => (value === null ? null : JSON.stringify(value))
  const { rows } = await sql<{ updated_at: string }>`
    update transactions
       set buyer = ${json(erased.buyer)}::jsonb,
           shipping_details = ${json(erased.shipping_details)}::jsonb,
           metadata = ${json(erased.metadata)}::jsonb,
           details = ${json(erased.details)}::jsonb,
           ip_address = ${erased.ip_address},
           payment_method = ${json(erased.payment_method)}::jsonb,
           three_d_secure = ${json(erased.three_d_secure)}::jsonb,
           identifiers = ${json(erased.identifiers)}::jsonb,
           approval = ${json(erased.approval)}::jsonb,
           actions = ${json(erased.actions)}::jsonb,
           updated_at = greatest(${timeOf(clock)}::timestamptz, ${row.updated_at}::timestamptz) + interval '1 microsecond'
     where merchant_account_id = ${row.merchant_account_id}
       and id = ${row.id}
    returning updated_at`.execute(db)
  return rows[0]?.updated_at ?? row.updated_at
}
