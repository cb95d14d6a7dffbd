import { sql } from 'kysely'
import { timeOf } from '../base/clock.ts'
import { momentOf } from '../database/partitions/partitioned-tables.ts'
import { withoutTimeout } from '../database/without-timeout.ts'
import type { World } from '../world.ts'
import { eraseDeliveries, eraseEventsAt } from './erase-events.ts'
import { eraseLink } from './erase-links.ts'
import { eraseStoredAnswers } from './erase-stored-answers.ts'
import { changeTimesOf, eraseCheckout, eventCountsOf, readPayment } from './erase-transactions.ts'
import { findPaymentEvents } from './find-payment-events.ts'

type ErasingWorld = Pick<World, 'db' | 'run' | 'cipher' | 'machineClock'>

/**
 * Erases personal data that would outlive payments with ids below `below`, and that no erasure of a buyer finds
 * without them: of later events about them, answers of idempotency keys, their payment links and their checkouts
 * of AI agents.
 */
export async function eraseWhatOutlives(world: ErasingWorld, below: string): Promise<void> {
  const changedAt = timeOf({ now: () => momentOf(below) })
  const { rows } = await withoutTimeout(world.db, (tx) =>
    sql<{ account: string; id: string }>`
    select t.merchant_account_id as account,
           t.id
      from transactions t
     where t.id < ${below}::uuid
       and (t.updated_at >= ${changedAt}::timestamptz
            or t.payment_link_id is not null
            or exists (select from agentic_checkouts c
                        where c.merchant_account_id = t.merchant_account_id
                          and c.transaction_id = t.id))`.execute(tx),
  )
  for (const { account, id } of rows) await eraseOutliving(world, account, id, below)
}

async function eraseOutliving(
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
    await eraseEventsAt(tx, account, later)
    const events = later.map((event) => event.id)
    await eraseDeliveries(tx, account, events)
    await eraseCheckout(tx, account, id)
    if (row.payment_link_id) await eraseLink({ cipher, clock }, tx, account, row.payment_link_id)
  })
}
