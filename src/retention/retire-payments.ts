import pg from 'pg'
import { ArchiveProblem } from '../archive/archive-folder.ts'
import { archivePayments, type PaymentsToArchive, removeFiles } from '../archive/archive-payments.ts'
import { timeOf } from '../base/clock.ts'
import { horizonOf } from '../database/logs/event-log.ts'
import { linksWithout } from '../database/logs/retired-links.ts'
import { retirementHash } from '../database/logs/retirement-seal.ts'
import { analyzeTables } from '../database/partitions/cut-due-tables.ts'
import { dropPartitions, KeepPartitions, partitionsBelow } from '../database/partitions/drop-partitions.ts'
import { timeOfId } from '../database/partitions/partitioned-tables.ts'
import { withPartitionsLocked } from '../database/partitions/partitions-lock.ts'
import { readPartitions } from '../database/partitions/read-partitions.ts'
import { statementsOn } from '../database/statements.ts'
import type { KeptBy } from '../database/tables/retention.ts'
import { withoutTimeout } from '../database/without-timeout.ts'
import { journalChain } from '../operations/journal/journal-chain.ts'
import { eraseWhatOutlives } from '../privacy/erase-outliving.ts'
import { isReplaced } from '../vault/keys/root-secret.ts'
import { readTransactions } from '../verify/read-transactions.ts'
import { transactionFindings } from '../verify/transaction-findings.ts'
import type { World } from '../world.ts'
import { deleteOutlived } from './delete-outlived.ts'
import { dueBounds } from './due-bound.ts'
import { hasChanged } from './has-changed.ts'
import { findKeepers, keeper } from './kept-by.ts'
import {
  countRetired,
  forgetPlanned,
  type PlannedRetirement,
  planRetirement,
  readPlanned,
  retiredBelow,
  storeKeepers,
} from './retirement.store.ts'

export type RetentionWorld = Pick<
  World,
  'db' | 'run' | 'settings' | 'partitions' | 'machineClock' | 'cipher' | 'log'
>

interface RetentionOptions {
  /** Months for which payments are kept. */
  months: number
  /** The folder for files with the payments (`ARCHIVE_DIR`). Undefined: there are no files. */
  archiveDir: string | undefined
  /** Who retires payments: `background`, or the command line's user. */
  actor: string
  /** How long to try to get the locks, in milliseconds. */
  patience?: number
}

/** The next hour tries again. */
const PATIENCE_MS = 300_000

/**
 * Retires the payments of every partition that is due, the oldest first, until something keeps one. One process of
 * the instance does it at a time. Answers how many partitions were dropped.
 */
export async function retireDuePayments(world: RetentionWorld, options: RetentionOptions): Promise<number> {
  const { db, partitions } = world
  const dropped = await withPartitionsLocked(world, (connection) =>
    retireAll({ ...world, db: connection, run: statementsOn(connection) }, options),
  )
  if (dropped) {
    await partitions.load()
    await analyzeTables(db)
  }
  await deleteOutlived(world)
  return dropped ?? 0
}

async function retireAll(world: RetentionWorld, options: RetentionOptions): Promise<number> {
  const { db, machineClock } = world
  for (let dropped = 0; ; ) {
    const [below] = dueBounds(await readPartitions(db), options.months, machineClock.now())
    if (below === undefined) {
      await forgetPlanned(db)
      return dropped
    }
    const more = await retireBelow(world, below, options)
    if (more === 0) return dropped
    dropped += more
  }
}

/** Answers how many partitions were dropped; 0: something keeps the payments, or the locks were not to be had. */
async function retireBelow(
  world: RetentionWorld,
  below: string,
  { actor, archiveDir, patience = PATIENCE_MS }: RetentionOptions,
): Promise<number> {
  const { db, machineClock } = world
  // what happens from here on is after both, so that the last look before the payments are dropped finds it
  const horizon = await horizonOf(world)
  const startedAt = timeOf(machineClock)
  const keepers = await withoutTimeout(db, (tx) => findKeepers(tx, below, machineClock.now()))
  if (keepers.length > 0) return keepPayments(world, below, actor, keepers)
  const planned = await planRetirement(db, { below, actor, startedAt })
  const counts = await withoutTimeout(db, (tx) => countRetired(tx, below))
  const problem = (await storeLinks(world, planned)) ?? (await findWrongPayment(world, below))
  if (problem) return keepPayments(world, below, actor, [problem])
  const written = await writeFiles(world, archiveDir, { ...planned, expected: counts })
  if ('reason' in written) {
    // files that lack what changed while they were written are no fault of the folder
    const computed = { below, startedAt: planned.started_at, horizon }
    if (await db.transaction().execute((tx) => hasChanged(tx, computed)))
      return tryAgain(world, below, 'kept')
    return keepPayments(world, below, actor, [written])
  }
  try {
    await eraseWhatOutlives(world, { from: await retiredBelow(db), below })
    const dropped = await dropPayments(world, planned, { counts: JSON.stringify(counts), horizon, patience })
    if (dropped === 0) await removeFiles(archiveDir, written)
    return dropped
  } catch (error) {
    // after any other error, such as of the connection, the rows may be gone, and the files have the only copy. A
    // server that translates its messages says another word than ERROR: the files stay then, and no row names them
    if (error instanceof pg.DatabaseError && error.severity === 'ERROR')
      await removeFiles(archiveDir, written)
    throw error
  }
}

/** Records what keeps the payments, and logs it when it changes. */
async function keepPayments(
  { db, machineClock, log }: RetentionWorld,
  below: string,
  actor: string,
  keptBy: readonly KeptBy[],
): Promise<0> {
  const before = await readPlanned(db)
  const planned =
    before?.below === below
      ? before
      : await planRetirement(db, { below, actor, startedAt: timeOf(machineClock) })
  await storeKeepers(db, planned.number, keptBy)
  const reasonsOf = (kept: readonly KeptBy[] | null) => kept?.map(({ reason }) => reason).join()
  if (before?.below !== below || reasonsOf(before.kept_by) !== reasonsOf(keptBy))
    log.warn({ before: timeOfId(below), keptBy }, 'payments that are old enough cannot be retired yet')
  return 0
}

/**
 * Stores what stays of each link of the journal that covers rows of the payments. Answers why the payments cannot
 * be retired.
 */
async function storeLinks(
  { db, run, cipher }: RetentionWorld,
  { number: retirement, below }: PlannedRetirement,
): Promise<KeptBy | undefined> {
  const accounts = await db.selectFrom('merchant_accounts').select('id').orderBy('id').execute()
  for (const { id: merchant_account_id } of accounts)
    for await (const found of linksWithout(run, cipher, journalChain, merchant_account_id, below)) {
      if (found === 'unsealed') return keeper('unsealed_rows', merchant_account_id)
      if ('broken' in found) return keeper('broken_links', `${merchant_account_id}: ${found.broken}`)
      if (found.links.length > 0)
        await db
          .insertInto('retired_links')
          .values(found.links.map((link) => ({ ...link, merchant_account_id, retirement })))
          .execute()
    }
  return undefined
}

/** A payment that does not follow from its operations: once it is gone, nobody can find that out. */
async function findWrongPayment({ run }: RetentionWorld, below: string): Promise<KeptBy | undefined> {
  for await (const payment of readTransactions(run, below))
    if (transactionFindings(payment).length > 0) return keeper('wrong_payments', payment.id)
  return undefined
}

/** Writes the payments to files, if there is a folder for them. Answers their names, or why that failed. */
async function writeFiles(
  { db }: RetentionWorld,
  folder: string | undefined,
  payments: PaymentsToArchive,
): Promise<string[] | KeptBy> {
  try {
    return await archivePayments(db, folder, payments)
  } catch (error) {
    if (!(error instanceof ArchiveProblem)) throw error
    return keeper('archive_failed', error.message)
  }
}

async function dropPayments(
  { db, run, cipher, machineClock, log }: RetentionWorld,
  { number, below, actor, started_at }: PlannedRetirement,
  { counts, horizon, patience }: { counts: string; horizon: number; patience: number },
): Promise<number> {
  const retired_at = timeOf(machineClock)
  const sealed = { number, below, actor, started_at, retired_at, counts }
  const generation = cipher.generation()
  const hash = await retirementHash(run, cipher, sealed, generation)
  const partitions = partitionsBelow(await readPartitions(db), below)
  const result = await dropPartitions(db, partitions, {
    patience,
    work: async (tx) => {
      if (await hasChanged(tx, { below, horizon, startedAt: started_at })) throw new KeepPartitions()
      // a replacement of the root secret has sealed the earlier retirements again, and would not find this one
      if (await isReplaced(tx, generation)) throw new KeepPartitions()
      await tx
        .updateTable('retirements')
        .set({ retired_at, counts, hash, kept_by: null })
        .where('number', '=', number)
        .execute()
    },
  })
  if (result === 'dropped') {
    log.info({ before: timeOfId(below), partitions: partitions.length }, 'payments were retired')
    return partitions.length
  }
  return tryAgain({ log }, below, result)
}

/** `kept`: the payments or the root secret have changed meanwhile; `later`: the locks were not to be had. */
function tryAgain({ log }: Pick<RetentionWorld, 'log'>, below: string, result: 'kept' | 'later'): 0 {
  log.warn({ before: timeOfId(below), result }, 'payments could not be retired; the next hour tries again')
  return 0
}
