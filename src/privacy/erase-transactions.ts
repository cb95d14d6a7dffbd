import { type Kysely, sql } from 'kysely'
import { currentTimeValues, isInCurrentTimeSql } from '../base/account-clock.ts'
import { timeOf } from '../base/clock.ts'
import type { Tables } from '../database/tables.ts'
import { refreshPayments } from '../insights/columns/refresh-payments.ts'
import type { TimelineEntry } from '../operations/journal/journal.ts'
import { isOpen, type OperationRow } from '../operations/operation.ts'
import { eraseFilesAboutPeople } from '../reports/executions/erase-files.ts'
import type { TransactionRow } from '../transactions/transaction.row.ts'
import { dropSealedInstrument } from '../vault/secrets/sealed-instrument.ts'
import { dropSecurityCode } from '../vault/secrets/security-code.ts'
import type { World } from '../world.ts'
import { eraseDeliveries, eraseEventsAt } from './erase-events.ts'
import { eraseLink } from './erase-links.ts'
import { eraseOperations } from './erase-operations.ts'
import { eraseStoredAnswers } from './erase-stored-answers.ts'
import { type ErasedTransaction, erasedTimeline, erasedTransaction } from './erased-rows.ts'
import { type EventPosition, findPaymentEvents } from './find-payment-events.ts'

const BATCH = 20

interface Due {
  account: string
  id: string
  /** It was never erased before. */
  is_first: boolean
}

const due = `
select merchant_account_id as account, id, erased_at = '-infinity' as is_first
  from transactions
 where erased_at < updated_at and (merchant_account_id, id) > ($1, $2::uuid)
   and ($3::text is null or merchant_account_id = $3) and ${isInCurrentTimeSql('merchant_account_id', 4)}
 order by merchant_account_id, id
 limit ${BATCH}`

/** Erases the payments that are to be erased, and those that changed since they were. `account`: this one's alone. Takes up nothing new once `stopped`. Answers how many it erased. */
export async function eraseDueTransactions(world: World, stopped: () => boolean, account: string | null = null): Promise<number> {
  let erased = 0
  let last: Pick<Due, 'account' | 'id'> | undefined = { account: '', id: '00000000-0000-0000-0000-000000000000' }
  while (last && !stopped()) {
    const rows: Due[] = await world.run<Due & Record<string, unknown>>(due, [last.account, last.id, account, ...currentTimeValues()])
    for (const [of, payments] of Map.groupBy(rows, (row) => row.account)) erased += await eraseTransactions(world, of, payments)
    last = rows.length < BATCH ? undefined : rows.at(-1)
  }
  return erased
}

/**
 * Erases payments of an account, each in a commit of its own; then what was made of them; and only then are they marked as erased, so that a process that dies in between has it all
 * done again. Answers how many: the others wait for an operation.
 */
export async function eraseTransactions(world: World, account: string, payments: readonly Pick<Due, 'id' | 'is_first'>[]): Promise<number> {
  const done: { id: string; updated_at: string }[] = []
  for (const { id } of payments) {
    const updatedAt = await eraseTransaction(world, account, id)
    if (updatedAt !== undefined) done.push({ id, updated_at: updatedAt })
  }
  if (done.length === 0) return 0
  const ids = done.map(({ id }) => id)
  if (!(await refreshPayments(world, account, ids))) return 0
  if (payments.some((payment) => payment.is_first && ids.includes(payment.id)))
    await world.db.transaction().execute((db) => eraseFilesAboutPeople(db, world, account))
  await sql`
    update transactions t set erased_at = t.updated_at
      from json_to_recordset(${JSON.stringify(done)}::json) erased (id uuid, updated_at timestamptz)
     where t.merchant_account_id = ${account} and t.id = erased.id and t.updated_at = erased.updated_at`.execute(world.db)
  return done.length
}

/** Answers its `updated_at` afterwards; undefined: an operation of it is under way, its link can still be paid, or another process has it in hand. */
async function eraseTransaction(world: World, account: string, id: string): Promise<string | undefined> {
  const seen = await readPayment(world.db, account, id)
  if (!seen || isUnderWay(seen)) return undefined
  // before the payment is locked, since the whole log may have to be read
  const events = await findPaymentEvents(world, account, eventCountsOf(seen), await changeTimesOf(world.db, seen))
  return world.db.transaction().execute(async (db) => {
    const row = await lockTransaction(db, account, id)
    // an event that was written since belongs to a change: the payment is due again
    if (!row || row.updated_at !== seen.row.updated_at) return undefined
    return eraseLocked(world, db, seen, events)
  })
}

async function eraseLocked(
  world: World,
  db: Kysely<Tables>,
  { row, operations }: PaymentWithOperations,
  events: readonly EventPosition[],
): Promise<string | undefined> {
  const { merchant_account_id: account, id } = row
  const ids = [id, ...operations.map((operation) => operation.id)]
  const times = [row.created_at, ...operations.map((operation) => operation.created_at)]
  const journalChanged = await eraseOperations(db, account, operations)
  const storyChanged = await eraseTimeline(db, account, id)
  await markRenewalsForErasure(db, account, id)
  await eraseStoredAnswers(db, account, ids, times)
  await eraseEventsAt(db, account, events)
  await eraseDeliveries(
    db,
    account,
    events.map((event) => event.id),
  )
  await dropSealedInstrument({ db }, account, id)
  if (row.checkout_session_id) await deleteSession(db, account, row.checkout_session_id)
  // a link that can still be paid waits until it is, or expires
  const isWaiting = row.payment_link_id !== null && !(await eraseLink(world, db, account, row.payment_link_id))
  const updatedAt = await rewrite(world, db, row, erasedTransaction(row), journalChanged || storyChanged)
  return isWaiting ? undefined : updatedAt
}

interface PaymentWithOperations {
  row: TransactionRow
  operations: OperationRow[]
}

async function readPayment(db: Kysely<Tables>, account: string, id: string): Promise<PaymentWithOperations | undefined> {
  const { rows } = await sql<PaymentWithOperations>`
    select row_to_json(t) as row,
           coalesce(
             (select json_agg(row_to_json(o) order by o.id) from operations o where o.merchant_account_id = t.merchant_account_id and o.transaction_id = t.id),
             '[]'
           ) as operations
      from transactions t
     where merchant_account_id = ${account} and id = ${id}`.execute(db)
  return rows[0]
}

const isUnderWay = ({ row, operations }: PaymentWithOperations): boolean => isOutcomeUndecided(row) || operations.some(({ status }) => isOpen(status))

const eventCountsOf = ({ row, operations }: PaymentWithOperations) => [row, ...operations].map(({ id, event_count }) => ({ id, event_count }))

/** When the payment changed, in milliseconds since 1970: each change that has an event has an entry in the story, or comes from a settlement report. */
async function changeTimesOf(
  db: Kysely<Tables>,
  { row: { merchant_account_id: account, id, created_at } }: PaymentWithOperations,
): Promise<number[]> {
  const { rows } = await sql<{ time: string }>`
    select entry ->> 'created_at' as time
      from transaction_events, json_array_elements(entries) entry
     where merchant_account_id = ${account} and transaction_id = ${id}
     union
    select to_json(ingested_at) #>> '{}'
      from settlements
     where merchant_account_id = ${account} and transaction_id = ${id}`.execute(db)
  return [created_at, ...rows.map(({ time }) => time)].map(Date.parse)
}

/** What becomes of it may still need to know who pays. */
const isOutcomeUndecided = ({ intent_outcome, active_operation_id, pending_review }: TransactionRow): boolean =>
  intent_outcome === 'pending' || active_operation_id !== null || pending_review

/** Undefined: it is locked, or there is none. */
async function lockTransaction(db: Kysely<Tables>, account: string, id: string): Promise<TransactionRow | undefined> {
  const { rows } = await sql<{ transaction: TransactionRow }>`
    select row_to_json(t) as transaction
      from transactions t
     where merchant_account_id = ${account} and id = ${id}
       for no key update skip locked`.execute(db)
  return rows[0]?.transaction
}

/** A payment that renewed this one's authorization has its buyer, too. Its id is in the story, which an erasure leaves there. */
async function markRenewalsForErasure(db: Kysely<Tables>, account: string, transaction: string): Promise<void> {
  await sql`
    update transactions set erased_at = '-infinity'
     where merchant_account_id = ${account} and erased_at is null
       and id = any(array(
         select (entry #>> '{context,transaction_id}')::uuid
           from transaction_events, json_array_elements(entries) entry
          where merchant_account_id = ${account} and transaction_id = ${transaction} and entry ->> 'name' = 'reauthorization-created'))`.execute(db)
}

/** True: there was something. */
async function eraseTimeline(db: Kysely<Tables>, account: string, transaction: string): Promise<boolean> {
  const { rows } = await sql<{ id: string; entries: TimelineEntry[] }>`
    select id, entries from transaction_events where merchant_account_id = ${account} and transaction_id = ${transaction}`.execute(db)
  const erased = rows.flatMap(({ id, entries }) => {
    const lines = erasedTimeline(entries)
    return JSON.stringify(lines) === JSON.stringify(entries) ? [] : [{ id, entries: lines }]
  })
  if (erased.length === 0) return false
  await sql`
    update transaction_events e set entries = erased.entries
      from json_to_recordset(${JSON.stringify(erased)}::json) erased (id uuid, entries json)
     where e.merchant_account_id = ${account} and e.transaction_id = ${transaction} and e.id = erased.id`.execute(db)
  return true
}

/** What a buyer entered to pay with; the payment has been made. */
async function deleteSession(db: Kysely<Tables>, account: string, id: string): Promise<void> {
  await db.deleteFrom('checkout_sessions').where('merchant_account_id', '=', account).where('id', '=', id).execute()
  await dropSecurityCode({ db }, account, id)
}

/** A payment that is changed says so: whoever keeps copies of payments by their `updated_at` fetches it again. */
async function rewrite(
  { clock }: Pick<World, 'clock'>,
  db: Kysely<Tables>,
  row: TransactionRow,
  erased: ErasedTransaction,
  changedElsewhere: boolean,
): Promise<string> {
  const before = Object.fromEntries(Object.keys(erased).map((name) => [name, row[name as keyof ErasedTransaction]]))
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
           updated_at = greatest(${timeOf(clock)}::timestamptz, updated_at)
     where merchant_account_id = ${row.merchant_account_id} and id = ${row.id}
    returning updated_at`.execute(db)
  return rows[0]?.updated_at ?? row.updated_at
}
