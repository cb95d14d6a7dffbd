import type { Selectable } from 'kysely'
import { sql } from 'kysely'
import { isInCurrentTime } from '../base/account-clock.ts'
import { answerDeadline } from '../connectors/answer-deadline.ts'
import type { AccountUpdaterInquiryTable, NetworkTokenTable, PaymentServiceTokenTable } from '../database/tables/vault.ts'
import type { World } from '../world.ts'

/** Tables whose rows are their own jobs: `check_at` says when one is taken up, as recovery does it with operations. */
interface DueTables {
  network_tokens: Selectable<NetworkTokenTable>
  payment_service_tokens: Selectable<PaymentServiceTokenTable>
  account_updater_inquiries: Selectable<AccountUpdaterInquiryTable>
}

const BATCH = 32
const FIRST_WAIT_MS = 1_000
const MAX_WAIT_MS = 600_000

/** Up to 32 rows whose time has come, each for one process only; should that die, another takes them up. */
export async function claimDue<T extends keyof DueTables>(world: World, table: T): Promise<DueTables[T][]> {
  const now = world.clock.now()
  const { rows } = await sql<DueTables[T]>`
    with due as (
      select merchant_account_id, id from ${sql.table(table)} where check_at <= ${new Date(now).toISOString()}::timestamptz and ${isInCurrentTime('merchant_account_id')}
       order by check_at limit ${sql.lit(BATCH)} for update skip locked
    )
    update ${sql.table(table)} t set check_at = ${answerDeadline(world)}::timestamptz, checks = checks + 1
      from due where t.merchant_account_id = due.merchant_account_id and t.id = due.id
    returning t.*`.execute(world.db)
  return rows
}

/** When it is asked again: soon at first, then ever later. */
export const nextCheckAt = ({ clock }: World, checks: number): string =>
  new Date(clock.now() + Math.min(FIRST_WAIT_MS * 2 ** Math.min(checks, 10), MAX_WAIT_MS)).toISOString()

/** Takes up what is due, one row after another until there is none; answers how many it were. One that throws is taken up again. */
export async function processDueRows<T extends keyof DueTables>(
  world: World,
  table: T,
  work: (row: DueTables[T]) => Promise<unknown>,
): Promise<number> {
  let handled = 0
  for (;;) {
    const due = await claimDue(world, table)
    const settled = await Promise.allSettled(due.map(work))
    for (const outcome of settled)
      if (outcome.status === 'rejected') world.log.error({ err: outcome.reason, table }, 'work of the vault failed; it is taken up again')
    handled += due.length
    if (due.length < BATCH) return handled
  }
}
