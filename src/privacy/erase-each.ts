import { type Kysely, type RawBuilder, sql } from 'kysely'
import type { Tables } from '../database/tables.ts'

const BATCH = 100
const LOWEST_ID = '00000000-0000-0000-0000-000000000000'

/** The resources of a buyer that an erasure has found. */
export interface ErasureProgress {
  ids: string[]
  /** How many of them wait until an operation or payment ends. */
  waiting: number
}

/** A batch of a buyer's resources. */
interface BuyerBatch {
  account: string
  buyer: string
  /** The buyer's `external_identifier`, by which resources of guests are found; null: the buyer has none. */
  name: string | null
  after: string
  limit: number
}

/**
 * The ids of a batch of a buyer's rows, and of guests with the same `external_identifier`. `buyerId`: the
 * buyer's id in a row, null for a guest.
 */
export async function idsOfBuyer(
  db: Kysely<Tables>,
  table: 'payment_links' | 'payouts',
  buyerId: RawBuilder<unknown>,
  { account, buyer, name, after, limit }: BuyerBatch,
): Promise<string[]> {
  const { rows } = await sql<{ id: string }>`
    select id
      from ${sql.table(table)}
     where merchant_account_id = ${account}
       and id > ${after}
       and (${buyerId} = ${buyer} or (${buyerId} is null and buyer ->> 'external_identifier' = ${name}))
     order by id
     limit ${sql.lit(limit)}`.execute(db)
  return rows.map(({ id }) => id)
}

/**
 * Erases resources one after the other, in the order of their ids. `next` answers up to `limit` ids after
 * one; `erase` answers false if the resource must wait.
 */
export async function eraseEach(
  next: (after: string, limit: number) => Promise<string[]>,
  erase: (id: string) => Promise<boolean>,
): Promise<ErasureProgress> {
  const progress: ErasureProgress = { ids: [], waiting: 0 }
  for (;;) {
    const batch = await next(progress.ids.at(-1) ?? LOWEST_ID, BATCH)
    for (const id of batch) if (!(await erase(id))) progress.waiting += 1
    progress.ids.push(...batch)
    if (batch.length < BATCH) return progress
  }
}
