/**
 * What a payment service tells of a dispute. Before: `outcome/notification.routes.ts` has read its
 * notification. After: the event and the line of the timeline are in the same commit.
 */

import { type Kysely, sql } from 'kysely'
import { isUuid } from '../../api/values/uuid.ts'
import { timeOf } from '../../base/clock.ts'
import type { DisputeNotice } from '../../connectors/contract/connector.ts'
import { recordEvent } from '../../database/logs/outbox.ts'
import { retryTransient } from '../../database/postgres/retry-transient.ts'
import type { DisputeDiscrepancy } from '../../database/tables/disputes.ts'
import type { Tables } from '../../database/tables.ts'
import type { EventName } from '../../events/event-name.ts'
import type { World } from '../../world.ts'
import { hasIdentifiers } from '../has-identifiers.ts'
import { timelineEntry } from '../timeline.ts'
import type { TransactionRow } from '../transaction.row.ts'
import { showDispute } from './dispute.representation.ts'
import type { DisputeRow } from './dispute.store.ts'
import { addNotice, disputeState, toStoredNotice } from './dispute-state.ts'
import { readDisputedAmounts } from './disputed-amount.ts'

/** The payment service that tells of a dispute. */
export interface DisputeSource {
  account: string
  /** The id of the payment service. */
  service: string
}

/**
 * Records what a payment service tells of a dispute, in one commit with the payment's disputed amount, the
 * events and the timeline. Notices may be repeated and may come in any order: the dispute is computed from
 * their set (`disputeState`). Undefined: the notice was known, or its identifiers are not those of the payment that the
 * dispute is counted on.
 *
 * Report lines of the same chargeback name no dispute. So they are matched by the payment: of what its
 * notices and its lines have taken, the larger sum counts, and so of what they have given back
 * (`readDisputedAmounts`). A payment with a dispute that only notices tell of and another one
 * that only lines tell of counts the larger one until the other source has both.
 *
 * An amount that does not fit the payment is recorded all the same, because the money has moved:
 * `discrepancy` shows it.
 */
export function recordDispute(
  world: World,
  source: DisputeSource,
  notice: DisputeNotice,
): Promise<DisputeRow | undefined> {
  return retryTransient(() => world.db.transaction().execute((db) => recordIn(db, world, source, notice)))
}

async function recordIn(
  db: Kysely<Tables>,
  world: World,
  source: DisputeSource,
  notice: DisputeNotice,
): Promise<DisputeRow | undefined> {
  const known = await lockDispute(db, source, notice.id)
  const notices = addNotice(known?.notices ?? [], toStoredNotice(notice))
  if (!notices) return undefined
  const now = timeOf(world.clock)
  // a dispute stays with the payment that it is counted on, whatever a later notice names
  const payment = known?.transaction_id
    ? await lockTransaction(db, source.account, known.transaction_id)
    : await lockPayment(db, source, notice)
  if (payment && !hasIdentifiers(payment, notice.identifiers)) return undefined
  const transaction = payment?.id
  const columns = {
    // a retired payment is not found any more, and the dispute still was about it
    transaction_id: transaction ?? known?.transaction_id ?? null,
    ...disputeState(notices),
    notices: JSON.stringify(notices),
    updated_at: now,
  }
  const identity = {
    merchant_account_id: source.account,
    id: known?.id ?? world.ids.next(),
    payment_service_id: source.service,
    payment_service_dispute_id: notice.id,
    created_at: known?.created_at ?? now,
  }
  await db
    .insertInto('disputes')
    .values({ ...identity, ...columns })
    .onConflict((conflict) => conflict.columns(['merchant_account_id', 'id']).doUpdateSet(columns))
    .execute()
  const discrepancy =
    transaction === undefined
      ? known?.transaction_id
        ? known.discrepancy
        : 'unknown_transaction'
      : await countDisputedAmount(db, source.account, transaction, columns.currency, now)
  const recorded = await db
    .updateTable('disputes')
    .set({ discrepancy })
    .where('merchant_account_id', '=', source.account)
    .where('id', '=', identity.id)
    .returningAll()
    .executeTakeFirstOrThrow()
  for (const name of changesOf(known, recorded)) await announceDispute(db, world, name, recorded)
  return recorded
}

type DisputedPayment = Pick<TransactionRow, 'id' | 'identifiers'>

/** The payment that a dispute is counted on; undefined: it is retired. */
async function lockTransaction(
  db: Kysely<Tables>,
  account: string,
  id: string,
): Promise<DisputedPayment | undefined> {
  const { rows } = await sql<DisputedPayment>`
    select id,
           identifiers
      from transactions
     where merchant_account_id = ${account}
       and id = ${id}::uuid
       for no key update`.execute(db)
  return rows[0]
}

/**
 * The payment of a notice, by the payment service's id of it or by the id of its operation. Its row stays locked
 * until the commit, so that report lines and notices of one payment are counted one after the other.
 */
async function lockPayment(
  db: Kysely<Tables>,
  { account, service }: DisputeSource,
  { payment, identifiers }: DisputeNotice,
): Promise<DisputedPayment | undefined> {
  const operations = isUuid(payment)
    ? await sql<{ transaction_id: string }>`
        select transaction_id
          from operations
         where merchant_account_id = ${account}
           and id = ${payment}::uuid
           and payment_service_id = ${service}::uuid`.execute(db)
    : { rows: [] }
  const ids = operations.rows.map(({ transaction_id }) => transaction_id)
  // of a renewed payment, the dispute is about the transaction that was captured
  const { rows } = await sql<DisputedPayment>`
    select id,
           identifiers
      from transactions
     where merchant_account_id = ${account}
       and ((payment_service_transaction_id = ${payment} and payment_service_id = ${service}::uuid)
            or id = any(${ids}::uuid[]))
     order by captured_amount desc, id`.execute(db)
  const found = rows.find((row) => hasIdentifiers(row, identifiers))
  return found && lockTransaction(db, account, found.id)
}

/** The dispute as it stands; undefined: it is new. Of two first notices at once, the second one waits. */
async function lockDispute(
  db: Kysely<Tables>,
  { account, service }: DisputeSource,
  id: string,
): Promise<DisputeRow | undefined> {
  await sql`select pg_advisory_xact_lock(hashtextextended(${`dispute/${account}/${service}/${id}`}, 0))`.execute(
    db,
  )
  return db
    .selectFrom('disputes')
    .selectAll()
    .where('merchant_account_id', '=', account)
    .where('payment_service_id', '=', service)
    .where('payment_service_dispute_id', '=', id)
    .forUpdate()
    .executeTakeFirst()
}

/**
 * Counts the payment's disputes again, after the row of one was written. Answers the reason why that one does
 * not fit.
 */
async function countDisputedAmount(
  db: Kysely<Tables>,
  account: string,
  transaction: string,
  currency: string,
  now: string,
): Promise<DisputeDiscrepancy | null> {
  const [disputed] = await readDisputedAmounts(db, account, [transaction])
  const { rows } = await sql<{ currency: string; excess: boolean }>`
    update transactions t
       set disputed = t.disputed or exists (select from disputes d
                                             where d.merchant_account_id = t.merchant_account_id
                                               and d.transaction_id = t.id
                                               and d.is_chargeback),
           disputed_amount = ${disputed?.amount ?? null},
           updated_at = ${now}::timestamptz
     where t.merchant_account_id = ${account}
       and t.id = ${transaction}::uuid
    returning t.currency,
              coalesce(t.disputed_amount, 0) + t.refunded_amount + t.refund_reserved > t.captured_amount as excess`.execute(
    db,
  )
  const [counted] = rows
  if (!counted) throw new Error(`transaction ${transaction} does not exist any more`)
  if (counted.currency !== currency) return 'other_currency'
  return counted.excess ? 'amount_exceeds' : null
}

type DisputeEventName = Extract<EventName, `dispute.${string}`>

/** The events of a recorded notice. A notice that arrives late may change nothing that is shown. */
function changesOf(before: DisputeRow | undefined, after: DisputeRow): DisputeEventName[] {
  const isClosed = after.closed_at !== null && (before?.closed_at ?? null) === null
  if (!before) return isClosed ? ['dispute.opened', 'dispute.closed'] : ['dispute.opened']
  if (isClosed) return ['dispute.closed']
  const shown = (row: DisputeRow) => JSON.stringify({ ...showDispute(row), updated_at: null })
  return shown(before) === shown(after) ? [] : ['dispute.updated']
}

const timelineNames = {
  'dispute.opened': 'dispute-opened',
  'dispute.updated': 'dispute-updated',
  'dispute.closed': 'dispute-closed',
} as const satisfies Record<DisputeEventName, string>

/** Writes the event of a dispute, and the line of its payment's timeline, which a retired payment does not have. */
export async function announceDispute(
  db: Kysely<Tables>,
  world: World,
  name: DisputeEventName,
  dispute: DisputeRow,
): Promise<void> {
  const shown = showDispute(dispute)
  await recordEvent(db, world, { account: dispute.merchant_account_id, name, target: shown })
  if (
    dispute.transaction_id === null ||
    !(await lockTransaction(db, dispute.merchant_account_id, dispute.transaction_id))
  )
    return
  const { id, status, amount, currency, reason_code, reason, evidence_due_at, payment_service_id } = shown
  const context = {
    dispute_id: id,
    payment_service_id,
    payment_service_dispute_id: shown.payment_service_dispute_id,
    status,
    amount,
    currency,
    reason_code,
    reason,
    evidence_due_at,
  }
  await db
    .insertInto('transaction_events')
    .values({
      merchant_account_id: dispute.merchant_account_id,
      transaction_id: dispute.transaction_id,
      id: world.ids.next(),
      entries: JSON.stringify([timelineEntry(world, timelineNames[name], context)]),
    })
    .execute()
}
