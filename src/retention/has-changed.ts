import { type Kysely, sql } from 'kysely'
import type { Tables } from '../database/tables.ts'
import { isOpenDispute } from './kept-by.ts'

/** A retirement whose links were computed. */
interface ComputedRetirement {
  /** Its payments have lower ids. */
  below: string
  /** When the links were begun, ISO 8601. */
  startedAt: string
  /** Rows that were decided since then have at least this position. */
  horizon: number
}

/**
 * Whether something of the payments was intended or decided since their links were computed, or they were disputed.
 * Every payment waits for the locks under which this runs: it reads a few rows by indexes, and whole tables never,
 * whatever PostgreSQL expects to find. Each condition has that of its partial index.
 */
export async function hasChanged(
  tx: Kysely<Tables>,
  { below, startedAt, horizon }: ComputedRetirement,
): Promise<boolean> {
  await sql`set local enable_seqscan = off`.execute(tx)
  const { rows } = await sql<{ changed: boolean }>`
    select exists (select from operations where check_at is not null and transaction_id < ${below}::uuid)
        or exists (select
                     from merchant_accounts a
                    where exists (select from transactions t
                                   where t.merchant_account_id = a.id
                                     and t.pending_review
                                     and t.id < ${below}::uuid)
                       or exists (select from transactions t
                                   where t.merchant_account_id = a.id
                                     and t.status = 'processing'
                                     and t.id < ${below}::uuid)
                       or exists (select from transactions t
                                   where t.merchant_account_id = a.id
                                     and t.status <> 'processing'
                                     and t.updated_at >= ${startedAt}::timestamptz
                                     and t.id < ${below}::uuid)
                       or exists (select from disputes d
                                   where d.merchant_account_id = a.id
                                     and d.transaction_id < ${below}::uuid
                                     and ${sql.raw(isOpenDispute)})
                       or exists (select from operations o
                                   where o.merchant_account_id = a.id
                                     and o.journal_position >= ${horizon}::bigint
                                     and o.transaction_id < ${below}::uuid)
                       or exists (select from settlements s
                                   where s.merchant_account_id = a.id
                                     and s.position >= ${horizon}::bigint
                                     and s.transaction_id < ${below}::uuid)) as changed`.execute(tx)
  return rows[0]?.changed ?? true
}
