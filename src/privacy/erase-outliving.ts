import { type Kysely, type RawBuilder, sql } from 'kysely'
import { timeOf } from '../base/clock.ts'
import { momentOf, timeOfId } from '../database/partitions/partitioned-tables.ts'
import type { Tables } from '../database/tables.ts'
import { withoutTimeout } from '../database/without-timeout.ts'
import type { World } from '../world.ts'
import { eraseDeliveries, eraseEventsAt, eraseEventsOfResource } from './erase-events.ts'
import { eraseLinkOfPayment } from './erase-links.ts'
import { eraseAnswersOfTime, eraseStoredAnswers } from './erase-stored-answers.ts'
import {
  changeTimesOf,
  eraseCheckout,
  eventCountsOf,
  type PaymentWithOperations,
  readPayment,
} from './erase-transactions.ts'
import { type EventPosition, findPaymentEvents } from './find-payment-events.ts'

type ErasingWorld = Pick<World, 'db' | 'run' | 'cipher' | 'machineClock'>

/** Payments that are to be retired. */
interface RetirementBounds {
  /** Payments with lower ids were retired before. */
  from: string
  /** They have lower ids. */
  below: string
}

/**
 * A change has its time a moment before its event has an id, in milliseconds: the time may be before a bound and the
 * id after it.
 */
const MOMENT_MS = 1_000

/**
 * Erases personal data that would outlive payments and payouts with ids below `below`, and that no erasure of a buyer
 * finds without them: of later events about them, answers of idempotency keys, payment links and checkouts of
 * AI agents.
 */
export async function eraseWhatOutlives(
  world: ErasingWorld,
  { from, below }: RetirementBounds,
): Promise<void> {
  // a key has the time of its resource; those of later requests are found by their payments
  await eraseAnswersOfTime(world.db, timeOfId(from), timeOfId(below))
  const changedAt = timeOf({ now: () => momentOf(below) - MOMENT_MS })
  await eraseWhatOutlivesPayments(world, below, changedAt)
  await eraseWhatOutlivesPayouts(world, below, changedAt)
}

async function eraseWhatOutlivesPayments(
  world: ErasingWorld,
  below: string,
  changedAt: string,
): Promise<void> {
  const payments = inBatches<RowKey>(
    world.db,
    (after) => sql`
    select t.merchant_account_id as account,
           t.id
      from transactions t
     where ${isAfter('t', after)}
       and t.id < ${below}::uuid
       and (t.updated_at >= ${changedAt}::timestamptz
            or t.payment_link_id is not null
            or exists (select from agentic_checkouts c
                        where c.merchant_account_id = t.merchant_account_id
                          and c.transaction_id = t.id))
     order by t.merchant_account_id, t.id
     limit ${sql.lit(BATCH)}`,
  )
  for await (const { account, id } of payments) await eraseOutlivingPayment(world, account, id, below)
}

async function eraseOutlivingPayment(
  { db, run, cipher, machineClock: clock }: ErasingWorld,
  account: string,
  id: string,
  below: string,
): Promise<void> {
  const payment = await readPayment(db, account, id)
  if (!payment) return
  const { row, operations } = payment
  const times = await changeTimesOf(db, payment)
  const found = await findPaymentEvents({ run }, account, eventCountsOf(payment), times)
  const later = found.filter((event) => event.id >= below)
  const created = [row, ...operations].map(({ created_at }) => created_at)
  const ids = [id, ...operations.map((operation) => operation.id)]
  await db.transaction().execute(async (tx) => {
    await eraseStoredAnswers(tx, account, ids, created)
    await completeEventsAt(tx, payment, later)
    await eraseEventsAt(tx, account, later)
    await eraseCheckout(tx, account, id)
    const ofLink = row.payment_link_id
      ? await eraseLinkOfPayment({ cipher, clock }, tx, account, row.payment_link_id)
      : []
    await eraseDeliveries(tx, account, [...later.map((event) => event.id), ...(ofLink ?? [])])
  })
}

/**
 * Adds to these events, as `row`, what they do not store, since it is read from the rows of their resources
 * (`transactionTarget`, `operationTarget`), which are to be gone. Members beside it would not be what was sealed.
 */
async function completeEventsAt(
  db: Kysely<Tables>,
  { row, operations }: PaymentWithOperations,
  events: readonly EventPosition[],
): Promise<void> {
  if (events.length === 0) return
  const ofTransaction = {
    payment_method: { method: row.method },
    currency: row.currency,
    captured_amount: 0,
    refunded_amount: 0,
    pending_review: false,
    has_gift_card_redemptions: row.gift_cards !== null,
    created_at: row.created_at,
  }
  const resources = [
    { id: row.id, constant: ofTransaction },
    ...operations.map(({ id, currency, created_at, input: { external_identifier = null } }) => ({
      id,
      constant: { currency, external_identifier, created_at },
    })),
  ]
  await sql`
    update events e
       set target = (e.target::jsonb || jsonb_build_object('row', jsonb_build_object('updated_at', e.created_at) || resource.constant))::json
      from json_to_recordset(${JSON.stringify(events)}::json) later (position bigint, sequence int, id uuid),
           json_to_recordset(${JSON.stringify(resources)}::json) resource (id uuid, constant jsonb)
     where e.merchant_account_id = ${row.merchant_account_id}
       and e.position = later.position
       and e.sequence = later.sequence
       and e.id = later.id
       and e.target_id = resource.id`.execute(db)
}

/** An erasure finds the events of a guest's payout by the payout. */
async function eraseWhatOutlivesPayouts(
  { db }: ErasingWorld,
  below: string,
  changedAt: string,
): Promise<void> {
  const payouts = inBatches<RowKey & { buyer: string | null; created_at: string }>(
    db,
    (after) => sql`
    select p.merchant_account_id as account,
           p.id,
           p.buyer ->> 'id' as buyer,
           p.created_at
      from payouts p
     where ${isAfter('p', after)}
       and p.id < ${below}::uuid
       and p.updated_at >= ${changedAt}::timestamptz
     order by p.merchant_account_id, p.id
     limit ${sql.lit(BATCH)}`,
  )
  for await (const { account, id, buyer, created_at } of payouts)
    await db.transaction().execute(async (tx) => {
      await eraseStoredAnswers(tx, account, [id], [created_at])
      await eraseDeliveries(tx, account, await eraseEventsOfResource(tx, account, id, buyer))
    })
}

const BATCH = 100

interface RowKey {
  account: string
  id: string
}

const isAfter = (table: string, { account, id }: RowKey) =>
  sql`(${sql.ref(`${table}.merchant_account_id`)}, ${sql.ref(`${table}.id`)}) > (${account}, ${id}::uuid)`

/** Reads rows in the order of their accounts and ids. `next`: up to `BATCH` rows after one. */
async function* inBatches<Row extends RowKey>(
  db: Kysely<Tables>,
  next: (after: RowKey) => RawBuilder<Row>,
): AsyncGenerator<Row> {
  for (let after: RowKey = { account: '', id: '00000000-0000-0000-0000-000000000000' }; ; ) {
    const { rows } = await withoutTimeout(db, (tx) => next(after).execute(tx))
    yield* rows
    const last = rows.at(-1)
    if (!last || rows.length < BATCH) return
    after = last
  }
}
