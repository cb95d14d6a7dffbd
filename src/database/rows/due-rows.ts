import type { Selectable } from 'kysely'
import { backOffMs } from '../../base/back-off.ts'
import { timeOf } from '../../base/clock.ts'
import { type JobRound, processDueJobs } from '../../base/due-jobs.ts'
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

const FIRST_WAIT_MS = 1_000
const MAX_WAIT_MS = 600_000

/** What the rows of a table ask, in SQL: a payment service, or the one service of the whole table. */
const askedServices: Record<keyof DueTables, string> = {
  network_tokens: `'network_tokens'`,
  payment_service_tokens: 'payment_service_id::text',
  account_updater_inquiries: `'account_updater_inquiries'`,
}

const dueIn = (table: keyof DueTables): DueRows => ({
  table,
  key: ['id'],
  condition: (now, saturated) =>
    `check_at <= ${now}::timestamptz and ${askedServices[table]} <> all(${saturated}::text[])`,
  orderBy: 'check_at',
})

const leaseOf = (table: keyof DueTables) => {
  const due = dueIn(table)
  const lease = namedStatement(
    ['account', 'ids', 'now', 'saturated', 'leasedUntil', 'limit'],
    (p) => `
with due as (${selectDueSql(due, { ...p, keys: [p.ids], values: [p.now, p.saturated] })}
)
update ${due.table} t
   set check_at = ${p.leasedUntil}::timestamptz
  from due
 where t.merchant_account_id = ${p.account}
   and t.merchant_account_id = due.merchant_account_id
   and t.id = due.id
returning t.*`,
  )
  return { due, lease }
}

const leases: Record<keyof DueTables, ReturnType<typeof leaseOf>> = {
  network_tokens: leaseOf('network_tokens'),
  payment_service_tokens: leaseOf('payment_service_tokens'),
  account_updater_inquiries: leaseOf('account_updater_inquiries'),
}

/**
 * Leases up to `limit` due rows to this process, none that ask the `saturated` services. If it dies, another process
 * claims them after `leasedUntil` (ISO 8601).
 */
function claimDueRows<T extends keyof DueTables>(
  { run, clock }: World,
  table: T,
  { leasedUntil, limit, saturated }: { leasedUntil: string; limit: number; saturated: readonly string[] },
): Promise<DueTables[T][]> {
  const { due, lease } = leases[table]
  const now = timeOf(clock)
  return claimDue(run, due, { values: [now, saturated], limit }, (account, [ids], left) =>
    lease.run<DueTables[T]>({ run }, { account, ids, now, saturated, leasedUntil, limit: left }),
  )
}

/**
 * When a row is due again after so many checks that ended without an answer: after a second at first, then after ever
 * longer times, up to ten minutes. A process that dies has counted none, so it delays no row.
 */
export const nextCheck = ({ clock }: World, checks: number) => ({
  check_at: new Date(
    clock.now() + backOffMs(checks, { first: FIRST_WAIT_MS, max: MAX_WAIT_MS }),
  ).toISOString(),
  checks: checks + 1,
})

interface DueRowWork<Row> {
  /** The time until which a row that is claimed now is leased, ISO 8601. */
  leaseUntil: () => string
  processRow: (row: Row) => Promise<unknown>
}

/**
 * Processes the due rows of a table until there are none, and answers how many there were. A row whose
 * processing throws is due again after its lease.
 */
export const processDueRows = <T extends keyof DueTables>(
  world: World,
  table: T,
  { leaseUntil, processRow }: DueRowWork<DueTables[T]>,
  round?: JobRound,
): Promise<number> =>
  processDueJobs<DueTables[T]>(
    {
      claim: (limit, saturated) =>
        claimDueRows(world, table, { leasedUntil: leaseUntil(), limit, saturated }),
      serviceOf: (row) => ('payment_service_id' in row ? row.payment_service_id : table),
      process: async (row) => {
        try {
          await processRow(row)
        } catch (error) {
          world.log.error({ err: error, table }, 'a due row could not be processed; it is tried again')
        }
      },
    },
    round,
  )
