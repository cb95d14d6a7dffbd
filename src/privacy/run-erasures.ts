import { sql } from 'kysely'
import { runInEachAccountTime } from '../accounts/merchant-accounts/account-clock.store.ts'
import { type PeriodicTask, startPeriodicTask } from '../base/periodic-task.ts'
import { VISIBLE_AFTER_MS } from '../database/timeouts.ts'
import { eraseFilesAboutPeople } from '../reports/executions/erase-files.ts'
import type { World } from '../world.ts'
import {
  type BuyerErasureRow,
  claimBuyerErasure,
  type ErasurePassResult,
  finishErasurePass,
} from './buyer-erasure.store.ts'
import { eraseDeliveries, eraseEventsOfPeople } from './erase-events.ts'
import { eraseLinksOfBuyer } from './erase-links.ts'
import { erasePayoutsOfBuyer } from './erase-payouts.ts'
import { eraseGiftCardAnswers } from './erase-stored-answers.ts'
import { eraseMethodsOfBuyer } from './erase-stored-methods.ts'
import { eraseDueTransactions } from './erase-transactions.ts'

/** Until the next pass over a buyer with payments under way. */
const WAIT_MS = 300_000
/** Until the next pass after an error. */
const RETRY_MS = 30_000

/**
 * Carries out the erasures that are due, and erases payments that have changed since their erasure. Answers
 * how many buyers and payments these were.
 */
export async function runDueErasures(world: World, stopped: () => boolean = () => false): Promise<number> {
  let buyers = 0
  while (!stopped()) {
    const erasure = await claimBuyerErasure(world)
    if (!erasure) break
    buyers += 1
    await runErasurePass(world, erasure, stopped)
  }
  return buyers + (await eraseDueTransactions(world, stopped))
}

async function runErasurePass(world: World, erasure: BuyerErasureRow, stopped: () => boolean): Promise<void> {
  try {
    await finishErasurePass(world, erasure, await eraseBuyer(world, erasure, stopped))
  } catch (error) {
    const buyer = { account: erasure.merchant_account_id, buyer: erasure.buyer_id }
    world.log.error({ err: error, ...buyer }, 'a buyer could not be erased; it is tried again')
    await finishErasurePass(world, erasure, {
      kind: 'retry',
      at: after(world, RETRY_MS),
      waiting: erasure.waiting,
    })
  }
}

const after = ({ clock }: Pick<World, 'clock'>, ms: number): string =>
  new Date(clock.now() + ms).toISOString()

/**
 * One pass over all data of a buyer, in bounded commits, each of which may be done twice. A request that read
 * the buyer before the erasure was requested may commit for `VISIBLE_AFTER_MS` longer: the last pass begins
 * after that time.
 */
async function eraseBuyer(
  world: World,
  erasure: BuyerErasureRow,
  stopped: () => boolean,
): Promise<ErasurePassResult> {
  const { merchant_account_id: account, buyer_id: buyer, external_identifier: name } = erasure
  const lastPassFrom = Date.parse(erasure.requested_at) + VISIBLE_AFTER_MS
  const isLast = world.clock.now() >= lastPassFrom
  await deleteSessionsOfBuyer(world, account, buyer, name)
  const links = await eraseLinksOfBuyer(world, account, buyer, name)
  const payouts = await erasePayoutsOfBuyer(world, account, buyer, name)
  await markTransactions(world, account, buyer, name)
  await eraseDueTransactions(world, stopped, account)
  // after the payments: one that has just ended may have stored a method
  const methods = await eraseMethodsOfBuyer(world, account, buyer)
  await eraseTraces(world, account, [buyer, ...methods, ...links.ids, ...payouts.ids])
  const waiting = links.waiting + payouts.waiting + (await countUnerasedPayments(world, account, buyer, name))
  if (waiting > 0) return { kind: 'retry', at: after(world, WAIT_MS), waiting }
  if (!isLast) return { kind: 'retry', at: new Date(lastPassFrom).toISOString(), waiting: 0 }
  await eraseFilesAboutRetired(world, account)
  return { kind: 'finished' }
}

/**
 * Erases the report files of the account that may contain personal data, if payments were ever retired: they may be in
 * a file, and no pass finds that they were the buyer's. Without retired payments, the erasure of each payment has
 * done it.
 */
async function eraseFilesAboutRetired(world: World, account: string): Promise<void> {
  const retired = await world.db
    .selectFrom('retirements')
    .select('number')
    .where('retired_at', 'is not', null)
    .limit(1)
    .executeTakeFirst()
  if (retired) await world.db.transaction().execute((db) => eraseFilesAboutPeople(db, world, account))
}

const MARK_BATCH = 500

/**
 * Marks payments for erasure: those with the buyer's id, and those of guests with the buyer's
 * `external_identifier`.
 */
async function markTransactions(
  { db }: Pick<World, 'db'>,
  account: string,
  buyer: string,
  name: string | null,
): Promise<void> {
  const isOfBuyer = [
    sql`buyer ->> 'id' = ${buyer}`,
    ...(name === null ? [] : [sql`buyer ->> 'external_identifier' = ${name} and buyer ->> 'id' is null`]),
  ]
  // each has indexes of its own
  const ofEach = isOfBuyer.flatMap((condition) => [
    sql`${condition} and status <> 'processing'`,
    sql`${condition} and status = 'processing'`,
  ])
  for (const condition of ofEach) {
    for (let marked = MARK_BATCH; marked === MARK_BATCH; ) {
      const { rows } = await sql`
        update transactions
           set erased_at = '-infinity'
         where merchant_account_id = ${account}
           and erased_at is null
           and id = any(array(
                 select id
                   from transactions
                  where merchant_account_id = ${account}
                    and ${condition}
                    and erased_at is null
                  limit ${sql.lit(MARK_BATCH)}))
        returning 1 as one`.execute(db)
      marked = rows.length
    }
  }
}

/** The number of the buyer's payments that are not erased yet. */
async function countUnerasedPayments(
  { db }: Pick<World, 'db'>,
  account: string,
  buyer: string,
  name: string | null,
): Promise<number> {
  const { rows } = await sql<{ left: number }>`
    select count(*) as left
      from transactions
     where merchant_account_id = ${account}
       and erased_at <> updated_at
       and (buyer ->> 'id' = ${buyer} or (buyer ->> 'id' is null and buyer ->> 'external_identifier' = ${name}))`.execute(
    db,
  )
  return rows[0]?.left ?? 0
}

/** Deletes the checkout sessions that were created for the buyer, or name the buyer. */
const deleteSessionsOfBuyer = async (
  { db }: Pick<World, 'db'>,
  account: string,
  buyer: string,
  name: string | null,
): Promise<void> => {
  await sql`
    with deleted as (
      delete from checkout_sessions
       where merchant_account_id = ${account}
         and (lower(details ->> 'buyer_id') = ${buyer} or details #>> '{buyer,external_identifier}' = ${name})
      returning merchant_account_id, id
    )
    delete from security_codes c
     using deleted
     where c.merchant_account_id = deleted.merchant_account_id
       and c.id = deleted.id`.execute(db)
}

/**
 * Erases the events about the buyer and the buyer's resources, also deleted ones, the answers of webhook
 * receivers to these events, and the stored answers of idempotency keys. `keys`: the ids of the buyer and of
 * the resources.
 */
async function eraseTraces(
  { db }: Pick<World, 'db'>,
  account: string,
  keys: readonly string[],
): Promise<void> {
  const erased = await eraseEventsOfPeople(db, account, keys)
  const done = new Set(keys)
  // such as a stored card whose buyer was deleted before it
  const otherResources = [...new Set(erased.targets)].filter((id) => !done.has(id))
  const erasedOfOthers = await eraseEventsOfPeople(db, account, otherResources)
  const events = [...erased.events, ...erasedOfOthers.events]
  await db.transaction().execute((tx) => eraseDeliveries(tx, account, events))
  await eraseGiftCardAnswers(db, account, [...keys, ...otherResources])
}

export const startErasures = (world: World): PeriodicTask =>
  startPeriodicTask(
    world.settings.recoveryInterval,
    runInEachAccountTime(world, (stopped) => runDueErasures(world, stopped)),
    (error) => world.log.error({ err: error }, 'due erasures could not be read; the next round tries again'),
  )
