import { createHash } from 'node:crypto'
import { join } from 'node:path'
import { sql } from 'kysely'
import { archivePayments } from '../../src/archive/archive-payments.ts'
import { readFiles } from '../../src/archive/archived-file.store.ts'
import { lowestIdOf } from '../../src/database/partitions/partitioned-tables.ts'
import { createLog } from '../../src/observability/log.ts'
import { type Railyard, startRailyard } from '../../src/process/railyard.ts'
import { isErasable, isPersonal, transactionFieldNames } from '../../src/reports/models/transaction-fields.ts'
import { countRetired, planRetirement } from '../../src/retention/retirement.store.ts'
import { readSettings } from '../../src/settings.ts'
import { newPlace } from '../instance.ts'
import { fillPayments } from '../replay/fill.ts'
import { type Goal, number, table } from '../report.ts'
import { makeReport } from '../reports/make-report.ts'
import { type Watched, watched } from '../watched.ts'

const SERVICE = '018f0000-0000-7000-8000-00000000000a'
/** Above the ids of all payments, which `fillPayments` makes of the summer of 2026. */
const ALL = lowestIdOf(Date.UTC(2026, 9))

/**
 * A report of payments with one operation each, all of one account: from the tables, and from the files that a
 * retirement writes. The rows are then deleted at once; how long partitions take to drop is not measured here.
 */
export async function measureArchive(payments: number): Promise<{ goals: Goal[]; problems: string[] }> {
  const place = await newPlace('postgres')
  const railyard = await startRailyard(
    readSettings({ ...place.env, RECOVERY_INTERVAL_MS: '60000', ARCHIVE_DIR: join(place.folder, 'archive') }),
    { log: createLog('warn') },
  )
  try {
    await fillPayments(place.env['DATABASE_URL'] ?? '', payments, [SERVICE, SERVICE, SERVICE])
    const fromTables = await hashedReport(railyard, 'from the tables')
    const written = await watched(() => archiveAll(railyard))
    const fromFiles = await hashedReport(railyard, 'from the files')
    const row = (name: string, { seconds, grownMb, heldMs }: Watched<unknown>) => [
      name,
      number(seconds),
      number((seconds / payments) * 1e6),
      number(grownMb),
      number(heldMs),
    ]
    console.log(
      `\n### ${payments.toLocaleString('en-US')} payments in files of ${number(written.result / 1e6)} MB, PostgreSQL\n`,
    )
    console.log(
      table(
        ['', 'seconds', 'µs a payment', 'more memory, MB', 'loop held, ms'],
        [
          row('a report from the tables', fromTables),
          row('written, read again and compared', written),
          row('the same report from the files', fromFiles),
        ],
      ),
    )
    const differs = fromTables.result !== fromFiles.result
    return { goals: [], problems: differs ? ['the reports from the tables and from the files differ'] : [] }
  } finally {
    await railyard.close()
    await place.remove()
  }
}

/** Makes a report with every column that files have, and answers the hash of its file. */
async function hashedReport(railyard: Railyard, name: string): Promise<Watched<string>> {
  const made = await makeReport(railyard, name, {
    fields: transactionFieldNames.filter((field) => !isPersonal(field) && !isErasable(field)),
    filters: { created_at: { start: '2000-01-01', end: '2027-01-01' } },
  })
  const answer = await fetch(made.result)
  const digest = createHash('sha256')
  for await (const chunk of answer.body ?? []) digest.update(chunk)
  return { ...made, result: `${answer.status} ${digest.digest('hex')}` }
}

/** Retires every payment to files, and answers the bytes of those. */
async function archiveAll({ world: { db, run, settings } }: Railyard): Promise<number> {
  const { number } = await planRetirement(db, {
    below: ALL,
    actor: 'bench',
    startedAt: new Date().toISOString(),
  })
  const expected = await countRetired(db, ALL)
  await archivePayments(db, settings.archiveDir, { number, below: ALL, expected })
  await db
    .updateTable('retirements')
    .set({ retired_at: sql`now()`, counts: JSON.stringify({}), hash: Buffer.alloc(32) })
    .where('number', '=', number)
    .execute()
  for (const name of ['operations', 'transactions'])
    await sql`truncate ${sql.table(name)} cascade`.execute(db)
  return (await readFiles(run)).reduce((sum, { bytes }) => sum + Number(bytes), 0)
}
