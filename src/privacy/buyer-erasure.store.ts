import { type Selectable, sql } from 'kysely'
import { timeOf } from '../base/clock.ts'
import { namedStatement } from '../database/named-statement.ts'
import { claimDue, type DueRows, selectDueSql } from '../database/rows/select-due.ts'
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

/** Undefined: the erasure of this buyer was never requested. */
export const findBuyerErasure = (
  { db }: Pick<World, 'db'>,
  account: string,
  buyer: string,
): Promise<BuyerErasureRow | undefined> =>
  db
    .selectFrom('buyer_erasures')
    .selectAll()
    .where('merchant_account_id', '=', account)
    .where('buyer_id', '=', buyer)
    .executeTakeFirst()

/**
 * How long another process leaves an erasure to this one. Two processes at the same erasure do its work
 * twice, without harm.
 */
const LEASE_MS = 120_000

const dueErasures: DueRows = {
  table: 'buyer_erasures',
  key: ['buyer_id'],
  condition: (now) => `due_at <= ${now}::timestamptz`,
  orderBy: 'due_at',
}

const leaseNextDue = namedStatement(
  ['account', 'buyers', 'now', 'leasedUntil', 'limit'],
  (p) => `
with due as (${selectDueSql(dueErasures, { ...p, keys: [p.buyers], values: [p.now] })}
)
update buyer_erasures e
   set due_at = ${p.leasedUntil}::timestamptz
  from due
 where e.merchant_account_id = ${p.account}
   and e.merchant_account_id = due.merchant_account_id
   and e.buyer_id = due.buyer_id
returning e.*`,
)

/** Leases an erasure that is due. Undefined: there is none. */
export async function claimBuyerErasure({
  run,
  clock,
}: Pick<World, 'run' | 'clock'>): Promise<BuyerErasureRow | undefined> {
  const now = timeOf(clock)
  const leasedUntil = new Date(clock.now() + LEASE_MS).toISOString()
  const [row] = await claimDue(run, dueErasures, { values: [now], limit: 1 }, (account, [buyers], limit) =>
    leaseNextDue.run<BuyerErasureRow>({ run }, { account, buyers, now, leasedUntil, limit }),
  )
  return row
}

/** How a pass over an erasure ended: nothing personal is left, or another pass follows at a time. */
export type ErasurePassResult = { kind: 'finished' } | { kind: 'retry'; at: string; waiting: number }

/** Writes the result of a pass. An erasure that was requested again since the pass began stays due. */
export async function finishErasurePass(
  { db, clock }: Pick<World, 'db' | 'clock'>,
  row: BuyerErasureRow,
  result: ErasurePassResult,
): Promise<void> {
  const now = timeOf(clock)
  await db
    .updateTable('buyer_erasures')
    .set(
      result.kind === 'finished'
        ? { due_at: null, waiting: 0, external_identifier: null, completed_at: now, updated_at: now }
        : { due_at: result.at, waiting: result.waiting, updated_at: now },
    )
    .where('merchant_account_id', '=', row.merchant_account_id)
    .where('buyer_id', '=', row.buyer_id)
    .where(sql<boolean>`requested_at = ${row.requested_at}::timestamptz`)
    .execute()
}
