import { type Selectable, sql } from 'kysely'
import { currentTimeValues, isInCurrentTimeSql } from '../base/account-clock.ts'
import { timeOf } from '../base/clock.ts'
import type { BuyerErasureTable } from '../database/tables/privacy.ts'
import { timestamp, timestampOrNull } from '../database/timestamp.ts'
import type { World } from '../world.ts'
import type { BuyerErasure } from './erasure.schema.ts'

export type BuyerErasureRow = Selectable<BuyerErasureTable>

export const showBuyerErasure = (row: BuyerErasureRow): BuyerErasure => ({
  type: 'buyer-erasure',
  buyer_id: row.buyer_id,
  merchant_account_id: row.merchant_account_id,
  status: row.due_at === null ? 'succeeded' : 'pending',
  waiting: row.waiting,
  created_at: timestamp(row.created_at),
  updated_at: timestamp(row.updated_at),
  completed_at: timestampOrNull(row.completed_at),
})

/** Undefined: nobody asked for this buyer to be erased. */
export const findBuyerErasure = ({ db }: Pick<World, 'db'>, account: string, buyer: string): Promise<BuyerErasureRow | undefined> =>
  db.selectFrom('buyer_erasures').selectAll().where('merchant_account_id', '=', account).where('buyer_id', '=', buyer).executeTakeFirst()

/** For how long a process may be silent before another one takes up what it had. Two at once do the same work twice, and no harm. */
const LEASE_MS = 120_000

const claim = `
with due as (
  select merchant_account_id, buyer_id
    from buyer_erasures
   where due_at <= $1::timestamptz and ${isInCurrentTimeSql('merchant_account_id', 3)}
   order by due_at
   limit 1
     for update skip locked
)
update buyer_erasures e set due_at = $2::timestamptz
  from due
 where e.merchant_account_id = due.merchant_account_id and e.buyer_id = due.buyer_id
returning e.*`

/** Takes up an erasure that is due. Undefined: there is none. */
export async function claimBuyerErasure({ run, clock }: Pick<World, 'run' | 'clock'>): Promise<BuyerErasureRow | undefined> {
  const leaseEnd = new Date(clock.now() + LEASE_MS).toISOString()
  const [row] = await run<BuyerErasureRow>(claim, [timeOf(clock), leaseEnd, ...currentTimeValues()])
  return row
}

/** How a pass over an erasure ended: over, or to be taken up again at a time. */
export type ErasurePassResult = { kind: 'over' } | { kind: 'again'; at: string; waiting: number }

/** One that was asked for once more since the pass began is taken up again in any case. */
export async function finishErasurePass({ db, clock }: Pick<World, 'db' | 'clock'>, row: BuyerErasureRow, end: ErasurePassResult): Promise<void> {
  const now = timeOf(clock)
  await db
    .updateTable('buyer_erasures')
    .set(
      end.kind === 'over'
        ? { due_at: null, waiting: 0, external_identifier: null, completed_at: now, updated_at: now }
        : { due_at: end.at, waiting: end.waiting, updated_at: now },
    )
    .where('merchant_account_id', '=', row.merchant_account_id)
    .where('buyer_id', '=', row.buyer_id)
    .where(sql<boolean>`requested_at = ${row.requested_at}::timestamptz`)
    .execute()
}
