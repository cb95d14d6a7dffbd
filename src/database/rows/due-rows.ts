import type { Selectable } from 'kysely'
import { backOffMs } from '../../base/back-off.ts'
import { timeOf } from '../../base/clock.ts'
import type { World } from '../../world.ts'
import { namedStatement } from '../named-statement.ts'
import type {
  AccountUpdaterInquiryTable,
  NetworkTokenTable,
  PaymentServiceTokenTable,
} from '../tables/vault.ts'
import { claimDue, type DueRows, selectDueSql } from './select-due.ts'

/**
 * Tables whose rows are their own jobs: a row is processed at its `check_at`, as recovery does it with
 * operations.
 */
interface DueTables {
  network_tokens: Selectable<NetworkTokenTable>
  payment_service_tokens: Selectable<PaymentServiceTokenTable>
  account_updater_inquiries: Selectable<AccountUpdaterInquiryTable>
}

const BATCH = 32
const FIRST_WAIT_MS = 1_000
const MAX_WAIT_MS = 600_000

const dueIn = (table: keyof DueTables): DueRows => ({
  table,
  key: ['id'],
  condition: (now) => `check_at <= ${now}::timestamptz`,
  orderBy: 'check_at',
})

const leaseOf = (due: DueRows) =>
  namedStatement(
    ['account', 'ids', 'now', 'leasedUntil', 'limit'],
    (p) => `
with due as (${selectDueSql(due, { ...p, keys: [p.ids], values: [p.now] })}
)
update ${due.table} t
   set check_at = ${p.leasedUntil}::timestamptz,
       checks = checks + 1
  from due
 where t.merchant_account_id = ${p.account}
   and t.merchant_account_id = due.merchant_account_id
   and t.id = due.id
returning t.*`,
  )

const leaseable = (table: keyof DueTables) => {
  const due = dueIn(table)
  return { due, lease: leaseOf(due) }
}

const leases: Record<keyof DueTables, ReturnType<typeof leaseable>> = {
  network_tokens: leaseable('network_tokens'),
  payment_service_tokens: leaseable('payment_service_tokens'),
  account_updater_inquiries: leaseable('account_updater_inquiries'),
}

/**
 * Leases up to 32 due rows to this process. If it dies, another process claims them after `leasedUntil` (ISO
 * 8601).
 */
function claimDueRows<T extends keyof DueTables>(
  { run, clock }: World,
  table: T,
  leasedUntil: string,
): Promise<DueTables[T][]> {
  const { due, lease } = leases[table]
  const now = timeOf(clock)
  return claimDue(run, due, { values: [now], limit: BATCH }, (account, [ids], limit) =>
    lease.run<DueTables[T]>({ run }, { account, ids, now, leasedUntil, limit }),
  )
}

/**
 * When a row is due again after so many checks: after a second at first, then after ever longer times, up to
 * ten minutes.
 */
export const nextCheckAt = ({ clock }: World, checks: number): string =>
  new Date(clock.now() + backOffMs(checks, { first: FIRST_WAIT_MS, max: MAX_WAIT_MS })).toISOString()

export interface DueRowWork<Row> {
  /** The time until which one batch of rows is leased, ISO 8601. */
  leaseUntil: () => string
  processRow: (row: Row) => Promise<unknown>
}

/**
 * Processes the due rows of a table until there are none, and answers how many there were. A row whose
 * processing throws is due again after its lease.
 */
export async function processDueRows<T extends keyof DueTables>(
  world: World,
  table: T,
  { leaseUntil, processRow }: DueRowWork<DueTables[T]>,
): Promise<number> {
  let processed = 0
  for (;;) {
    const due = await claimDueRows(world, table, leaseUntil())
    const results = await Promise.allSettled(due.map(processRow))
    for (const result of results)
      if (result.status === 'rejected')
        world.log.error({ err: result.reason, table }, 'a due row could not be processed; it is tried again')
    processed += due.length
    if (due.length < BATCH) return processed
  }
}
