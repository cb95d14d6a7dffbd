import { sql } from 'kysely'
import { onTestFinished } from 'vitest'
import { auditChain } from '../../../src/accounts/audit-log/audit-seal.ts'
import { verifyArchive } from '../../../src/archive/verify-archive.ts'
import { sealAllLogs } from '../../../src/background/seal-logs.ts'
import { waitUntilReadable } from '../../../src/database/logs/event-log.ts'
import { verifyRetirements } from '../../../src/database/logs/retirement-seal.ts'
import { verifyChain } from '../../../src/database/logs/verify-chain.ts'
import { cutTable } from '../../../src/database/partitions/cut-table.ts'
import { lowestIdOf, partitionedTables } from '../../../src/database/partitions/partitioned-tables.ts'
import { type Statements, statementsOn } from '../../../src/database/statements.ts'
import { startSender } from '../../../src/events/delivery/sender.ts'
import { journalChain } from '../../../src/operations/journal/journal-chain.ts'
import { retireDuePayments } from '../../../src/retention/retire-payments.ts'
import { verify } from '../../../src/verify/verify.ts'
import { startTestRailyard, stopBackground, type TestRailyard, testClock } from '../railyard.ts'
import { openShop, type Shop } from '../shop.ts'
import { withoutTriggers } from '../tamper.ts'

export const DAY_MS = 86_400_000

/** The months for which the instances of tests keep payments. */
export const MONTHS = 14
/** So long after a bound, payments before it are too old: 14 months have 424 to 428 days. */
export const KEPT_MS = 430 * DAY_MS

/** An instance whose clock is two years back, without background work. */
export async function startOldRailyard(env: Record<string, string> = {}): Promise<TestRailyard> {
  const clock = testClock()
  clock.advance(-730 * DAY_MS)
  const railyard = await startTestRailyard({ RETENTION_MONTHS: String(MONTHS), ...env }, clock)
  await stopBackground(railyard)
  return railyard
}

/** Such an instance with one payment, which is old enough to be retired. It ends with the test. */
export async function startWithDuePayment(): Promise<TestRailyard> {
  const railyard = await startOldRailyard()
  onTestFinished(railyard.close)
  await (await openShop(railyard)).sold(80_00)
  await cutNow(railyard)
  railyard.clock.advance(KEPT_MS)
  return railyard
}

/** The shop with a token of now, after the clock was moved further than tokens are good for. */
export const signedInAgain = async (railyard: TestRailyard, shop: Shop): Promise<Shop> => ({
  ...shop,
  ...(await railyard.client({ account: shop.account })),
})

/** Sends the webhooks that are due, as the background does. */
export async function sendWebhooks({ world }: Pick<TestRailyard, 'world'>): Promise<void> {
  const sender = startSender(world)
  await sender.runOnce()
  await sender.stop()
}

/** Seals what is decided. */
export async function seal({ world }: Pick<TestRailyard, 'world'>): Promise<void> {
  await waitUntilReadable(world)
  await sealAllLogs(world)
}

/** Seals what is decided, and divides every table at this moment. Answers the bound. */
export async function cutNow({ world, clock }: TestRailyard): Promise<string> {
  await seal({ world })
  const bound = lowestIdOf(clock.now() + 1)
  for (const table of partitionedTables) {
    const cut = await cutTable(world.db, table, bound, { patience: 10_000, ahead: Number.NEGATIVE_INFINITY })
    if (cut !== 'cut') throw new Error(`${table.table} was not cut`)
  }
  clock.advance(2)
  await world.partitions.load()
  return bound
}

/** SQL: the lock that the process holds which keeps partitions and retires payments, one row for its connection. */
export const locksOfRetirement = `pg_locks
      where locktype = 'advisory'
        and database = (select oid from pg_database where datname = current_database())
        and ((classid::bigint << 32) | objid::bigint) = hashtextextended('railyard partitions', 0)`

/** Retires what is due, as the background does each hour. */
export const retire = ({ world }: Pick<TestRailyard, 'world'>): Promise<number> =>
  retireDuePayments(world, {
    months: MONTHS,
    archiveDir: world.settings.archiveDir,
    actor: 'background',
    patience: 10_000,
  })

/** What `railyard verify` finds. */
export async function verifyFindings(
  { world }: TestRailyard,
  run: Statements = world.run,
): Promise<string[]> {
  const { findings } = await verify(run, {
    now: world.clock.now(),
    idempotencyRetention: world.settings.idempotencyRetention,
  })
  const chains = await Promise.all(
    [journalChain, auditChain].map((chain) => verifyChain(run, world.cipher, chain)),
  )
  return [
    ...findings.map(({ problem, stored, computed }) => `${problem}: ${stored} stored, ${computed} computed`),
    ...chains.flatMap(({ findings: links }) => links.map(({ link, problem }) => `link ${link} ${problem}`)),
    ...(await verifyRetirements(run, world.cipher)),
    ...(await verifyArchive(run, world.settings.archiveDir)).problems,
  ]
}

class Undone extends Error {}

/** What `railyard verify` finds after changes of an attacker who owns the database, which are then undone. */
export async function findingsAfter(
  railyard: TestRailyard,
  ...changes: readonly string[]
): Promise<string[]> {
  let found: string[] = []
  const work = railyard.world.db.transaction().execute(async (db) => {
    await withoutTriggers(db)
    let changed = 0n
    for (const change of changes) changed += (await sql.raw(change).execute(db)).numAffectedRows ?? 0n
    if (changed === 0n) throw new Error('nothing was changed')
    found = await verifyFindings(railyard, statementsOn(db))
    throw new Undone()
  })
  await work.catch((error) => {
    if (!(error instanceof Undone)) throw error
  })
  return found
}
