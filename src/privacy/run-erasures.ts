import { sql } from 'kysely'
import { runInEachAccountTime } from '../accounts/merchant-accounts/account-clock.store.ts'
import { type PeriodicTask, startPeriodicTask } from '../base/periodic-task.ts'
import { VISIBLE_AFTER_MS } from '../database/timeouts.ts'
import type { World } from '../world.ts'
import { type BuyerErasureRow, claimBuyerErasure, type ErasurePassResult, finishErasurePass } from './buyer-erasure.store.ts'
import { eraseDeliveries, eraseEventsOfPeople } from './erase-events.ts'
import { eraseLinksOfBuyer } from './erase-links.ts'
import { erasePayoutsOfBuyer } from './erase-payouts.ts'
import { eraseGiftCardAnswers } from './erase-stored-answers.ts'
import { eraseMethodsOfBuyer } from './erase-stored-methods.ts'
import { eraseDueTransactions } from './erase-transactions.ts'

/** What is under way may take as long as a refund does. */
const WAIT_MS = 300_000
const RETRY_MS = 30_000

/** Carries out the erasures that are due, and erases what changed of payments since they were erased. Answers how many payments and buyers that was. */
export async function runDueErasures(world: World, stopped: () => boolean = () => false): Promise<number> {
  let done = 0
  while (!stopped()) {
    const erasure = await claimBuyerErasure(world)
    if (!erasure) break
    done += 1
    await runErasurePass(world, erasure, stopped)
  }
  return done + (await eraseDueTransactions(world, stopped))
}

async function runErasurePass(world: World, erasure: BuyerErasureRow, stopped: () => boolean): Promise<void> {
  const about = { account: erasure.merchant_account_id, buyer: erasure.buyer_id }
  try {
    await finishErasurePass(world, erasure, await eraseBuyer(world, erasure, stopped))
  } catch (error) {
    world.log.error({ err: error, ...about }, 'a buyer could not be erased; it is tried again')
    await finishErasurePass(world, erasure, { kind: 'again', at: after(world, RETRY_MS), waiting: erasure.waiting })
  }
}

const after = ({ clock }: Pick<World, 'clock'>, ms: number): string => new Date(clock.now() + ms).toISOString()

/**
 * One pass over everything that may tell of a buyer, in bounded commits, each of which may be done twice. A request that had read the buyer before the erasure was asked for
 * may be committed a while after it: the last pass begins when that time is over.
 */
async function eraseBuyer(world: World, erasure: BuyerErasureRow, stopped: () => boolean): Promise<ErasurePassResult> {
  const { merchant_account_id: account, buyer_id: buyer, external_identifier: name } = erasure
  const settledFrom = Date.parse(erasure.requested_at) + VISIBLE_AFTER_MS
  const isLast = world.clock.now() >= settledFrom
  await deleteSessionsOfBuyer(world, account, buyer, name)
  const links = await eraseLinksOfBuyer(world, account, buyer, name)
  const payouts = await erasePayoutsOfBuyer(world, account, buyer, name)
  await markTransactions(world, account, buyer, name)
  await eraseDueTransactions(world, stopped, account)
  // after the payments: one that was under way may just have stored a method
  const methods = await eraseMethodsOfBuyer(world, account, buyer)
  await eraseTraces(world, account, [buyer, ...methods, ...links.ids, ...payouts.ids])
  const waiting = links.waiting + payouts.waiting + (await countUnerasedPayments(world, account, buyer, name))
  if (waiting > 0) return { kind: 'again', at: after(world, WAIT_MS), waiting }
  return isLast ? { kind: 'over' } : { kind: 'again', at: new Date(settledFrom).toISOString(), waiting: 0 }
}

const MARKED_AT_ONCE = 500

/** From now on they are to be erased: those with the buyer's id, and those of guests whom the merchant called by the buyer's name. */
async function markTransactions({ db }: Pick<World, 'db'>, account: string, buyer: string, name: string | null): Promise<void> {
  for (const which of [
    sql`buyer ->> 'id' = ${buyer}`,
    ...(name === null ? [] : [sql`buyer ->> 'external_identifier' = ${name} and buyer ->> 'id' is null`]),
  ]) {
    for (let marked = MARKED_AT_ONCE; marked === MARKED_AT_ONCE; ) {
      const { rows } = await sql`
        update transactions set erased_at = '-infinity'
         where merchant_account_id = ${account} and erased_at is null
           and id = any(array(select id from transactions where merchant_account_id = ${account} and ${which} and erased_at is null limit ${sql.lit(MARKED_AT_ONCE)}))
        returning 1 as one`.execute(db)
      marked = rows.length
    }
  }
}

/** How many of the buyer's payments are not erased yet. */
async function countUnerasedPayments({ db }: Pick<World, 'db'>, account: string, buyer: string, name: string | null): Promise<number> {
  const { rows } = await sql<{ left: number }>`
    select count(*) as left
      from transactions
     where merchant_account_id = ${account} and erased_at < updated_at
       and (buyer ->> 'id' = ${buyer} or (buyer ->> 'id' is null and buyer ->> 'external_identifier' = ${name}))`.execute(db)
  return rows[0]?.left ?? 0
}

/** Sessions live for a day at most; those that were made for the buyer, or name the buyer, go at once. */
const deleteSessionsOfBuyer = async ({ db }: Pick<World, 'db'>, account: string, buyer: string, name: string | null): Promise<void> => {
  await sql`
    with gone as (
      delete from checkout_sessions
       where merchant_account_id = ${account}
         and (lower(details ->> 'buyer_id') = ${buyer} or details #>> '{buyer,external_identifier}' = ${name})
      returning merchant_account_id, id
    )
    delete from security_codes c using gone
     where c.merchant_account_id = gone.merchant_account_id and c.id = gone.id`.execute(db)
}

/** What events tell of the buyer and of what was theirs, also of what has long been deleted; what receivers answered to them, and what repeated requests are answered. */
async function eraseTraces({ db }: Pick<World, 'db'>, account: string, keys: readonly string[]): Promise<void> {
  const told = await eraseEventsOfPeople(db, account, keys)
  const known = new Set(keys)
  // a stored card whose buyer was deleted before it
  const others = [...new Set(told.targets)].filter((id) => !known.has(id))
  const ofOthers = await eraseEventsOfPeople(db, account, others)
  await eraseDeliveries(db, account, [...told.events, ...ofOthers.events])
  await eraseGiftCardAnswers(db, account, [...keys, ...others])
}

export const startErasures = (world: World): PeriodicTask =>
  startPeriodicTask(
    world.settings.recoveryInterval,
    runInEachAccountTime(world, (stopped) => runDueErasures(world, stopped)),
    (error) => world.log.error({ err: error }, 'what is to be erased could not be read'),
  )
