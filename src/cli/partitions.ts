import type { Kysely } from 'kysely'
import pino from 'pino'
import { currentRequest } from '../api/request/request-context.ts'
import { checkArchiveFolder } from '../archive/check-folder.ts'
import { isOnCitus, NO_PARTITIONS } from '../database/citus/cluster.ts'
import type { Database } from '../database/database.ts'
import { cutDueTables } from '../database/partitions/cut-due-tables.ts'
import { partitionsBelow } from '../database/partitions/drop-partitions.ts'
import { timeOfId } from '../database/partitions/partitioned-tables.ts'
import { type Partition, readPartitions } from '../database/partitions/read-partitions.ts'
import { ownershipProblem } from '../database/partitions/table-owner.ts'
import type { KeptBy } from '../database/tables/retention.ts'
import type { Tables } from '../database/tables.ts'
import { dueBounds, firstDue } from '../retention/due-bound.ts'
import { findKeepers } from '../retention/kept-by.ts'
import { cutSize } from '../retention/partition-size.ts'
import { retireDuePayments } from '../retention/retire-payments.ts'
import { lastRetirement, readPlanned } from '../retention/retirement.store.ts'
import type { Settings } from '../settings.ts'
import { openVault } from '../vault/open-vault.ts'
import { withDatabase } from './support/command-database.ts'
import { runAsCommandLine } from './support/command-line-actor.ts'
import { UserError } from './support/user-error.ts'

const MEGABYTE = 1_000_000

/**
 * `railyard partitions list`: the partitions of every table, the oldest first; which payments were retired last, when
 * the next ones can be, and what keeps those that are old enough.
 */
export const listPartitions = (settings: Settings): Promise<void> =>
  withDatabase(settings, async ({ db }) => {
    const partitions = await readPartitions(db)
    for (const { name, from, to, rows, bytes } of partitions)
      console.log(`${name}  ${period(from, to)}  ${rows} rows  ${Math.ceil(bytes / MEGABYTE)} MB`)
    await printRetirements(db)
    if (settings.retentionMonths > 0) printNext(partitions, settings.retentionMonths)
    const planned = await readPlanned(db)
    if (planned?.kept_by) printKept(planned.below, planned.kept_by)
  })

async function printRetirements(db: Kysely<Tables>): Promise<void> {
  const last = await lastRetirement(db)
  if (!last) return
  const files = last.files.length > 0 ? last.files.join(', ') : 'none'
  console.log(
    `Retirement ${last.number}, the last one: payments before ${day(last.below)}, at ${last.retired_at} by ${last.actor}; files: ${files}`,
  )
}

function printNext(partitions: readonly Partition[], months: number): void {
  const next = firstDue(partitions, months)
  console.log(
    next
      ? `With RETENTION_MONTHS=${months}, payments before ${day(next.below)} can be retired from ${new Date(next.at).toISOString().slice(0, 10)}`
      : `With RETENTION_MONTHS=${months}, nothing can be retired before the oldest partition has an end`,
  )
}

function printKept(below: string, keptBy: readonly KeptBy[]): void {
  console.log(`Payments before ${day(below)} are old enough to be retired, and stay:`)
  for (const { reason, rows, example } of keptBy) console.log(`  ${reason}: ${rows}, such as ${example}`)
}

/** The months of a partition: `2026-11-01 to 2026-12-01`. */
const period = (from: string | null, to: string | null): string => `${day(from)} to ${day(to)}`
const day = (id: string | null): string => (id === null ? 'any time' : timeOfId(id).slice(0, 10))

async function refuseCitus({ db }: Pick<Database, 'db'>): Promise<void> {
  if (await isOnCitus(db)) throw new UserError(NO_PARTITIONS)
}

async function refuseOtherRole({ db }: Pick<Database, 'db'>): Promise<void> {
  const problem = await ownershipProblem(db)
  if (problem !== undefined) throw new UserError(problem)
}

/**
 * `railyard partitions cut`: gives each table its next partition now. Throws `UserError` on Citus, and for a role that
 * does not own the tables.
 */
export const cutPartitions = (settings: Settings): Promise<void> =>
  withDatabase(
    settings,
    async ({ db, partitions, createFunctions, time }) => {
      await refuseCitus({ db })
      await refuseOtherRole({ db })
      const cut = await cutDueTables(
        { db, settings, partitions, machineClock: time, log: pino({ level: 'warn' }) },
        cutSize(settings),
      )
      await createFunctions()
      console.log(
        cut === 0
          ? 'No table was cut: the newest partitions have no payments yet, another process is cutting, or clocks of accounts were moved'
          : `${cut} tables have a new partition`,
      )
    },
    { withoutTimeout: true },
  )

/**
 * `railyard partitions retire`: prints which payments would be retired now and what keeps the others; with `yes`
 * it retires them. Throws `UserError` without `RETENTION_MONTHS`, on Citus, and if the role may not retire payments;
 * `InvalidSetting` if the folder of `ARCHIVE_DIR` cannot be used.
 */
export function retirePartitions(settings: Settings, { yes = false }: { yes?: boolean }): Promise<void> {
  const { retentionMonths: months } = settings
  if (months === 0) throw new UserError('RETENTION_MONTHS is not set: payments are kept for ever')
  return withDatabase(
    settings,
    async (database) => {
      await refuseCitus(database)
      await checkArchiveFolder(database.run, settings)
      if (yes) await refuseOtherRole(database)
      await (yes ? retire(settings, database) : printDue(database, months))
    },
    { withoutTimeout: true },
  )
}

async function printDue({ db, time }: Database, months: number): Promise<void> {
  const partitions = await readPartitions(db)
  const due = dueBounds(partitions, months, time.now())
  if (due.length === 0)
    return console.log(`No partition has payments that are all older than ${months} months`)
  for (const below of due) {
    const keptBy = await findKeepers(db, below, time.now())
    if (keptBy.length > 0) return printKept(below, keptBy)
    const rows = partitionsBelow(partitions, below).map(({ name, rows }) => `${name} (${rows} rows)`)
    console.log(`Payments before ${day(below)} would be retired: ${rows.join(', ')}`)
  }
}

async function retire(settings: Settings, database: Database): Promise<void> {
  const { db, run, partitions, time } = database
  const { cipher, masterKeys } = await openVault(db, settings)
  try {
    const dropped = await runAsCommandLine(() =>
      retireDuePayments(
        { db, run, settings, partitions, machineClock: time, cipher, log: pino({ level: 'silent' }) },
        {
          months: settings.retentionMonths,
          archiveDir: settings.archiveDir,
          actor: currentRequest()?.actor?.name ?? 'command line',
        },
      ),
    )
    console.log(dropped === 0 ? 'Nothing was retired' : `${dropped} partitions were dropped`)
    const planned = await readPlanned(db)
    if (planned?.kept_by) printKept(planned.below, planned.kept_by)
  } finally {
    masterKeys.close()
  }
}
