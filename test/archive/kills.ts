import { watch } from 'node:fs'
import { mkdir, mkdtemp, open, readdir, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as wait } from 'node:timers/promises'
import { withRecordedFile } from '../../src/archive/archive-folder.ts'
import { archivedTables } from '../../src/archive/archived-columns.ts'
import { readFiles } from '../../src/archive/archived-file.store.ts'
import { readParquet } from '../../src/archive/parquet-file.ts'
import { withArchivedPayments } from '../../src/archive/read-archived.ts'
import { toCsv } from '../../src/reports/executions/csv.ts'
import { models } from '../../src/reports/models/models.ts'
import { isErasable, isPersonal, transactionFieldNames } from '../../src/reports/models/transaction-fields.ts'
import { seeded } from '../crash/chance.ts'
import { launch, runVerify } from '../crash/process.ts'
import { cutNow, locksOfRetirement, MONTHS, startOldRailyard } from '../support/domains/retention.ts'
import type { TestRailyard } from '../support/railyard.ts'
import { openShop, type Shop } from '../support/shop.ts'

interface KillOptions {
  kills: number
  seed: number
  /** In each month; every third has a refund. */
  payments?: number
  progress?: (line: string) => void
}

/** What a killed process had done, by what it left. */
interface KillFigures {
  kills: number
  /** Kills before the process had begun with the files of a month. */
  beforeFiles: number
  /** Kills that left a file half written. */
  withPartial: number
  /** Kills between two files, or between the last one and the drop: complete files that do not count. */
  withUnrecorded: number
  /** Of these, kills that left all three files of a month. */
  beforeDrop: number
  /** Kills after a drop, before the next month had a file. */
  afterDrop: number
  /** Months that processes had retired before they were killed. */
  retiredByKilled: number
  months: number
  payments: number
  /** Complete files that no record names at the end. */
  unrecordedFiles: number
}

/** A process that is killed late has retired a month or two. */
const MONTHS_A_KILL = 1.5
/** Changes of the folder that the files of one month make, and a few of the next month. */
const MAX_CHANGES = 20
const MAX_DELAY_MS = 40
/** Of each month. */
const FILES = archivedTables.length

/**
 * Kills the process that writes months of payments to files, at changes of the folder that the seed chooses, and
 * starts it again, until every month is retired. After each kill every payment must be in the tables or in
 * recorded files, once, and the reports must be the same to the byte.
 */
export async function killArchiving({
  kills,
  seed,
  payments = 40,
  progress = () => undefined,
}: KillOptions): Promise<{ findings: string[]; figures: KillFigures }> {
  const parent = await mkdtemp(join(tmpdir(), 'railyard-archive-'))
  const folder = join(parent, 'files')
  // a watch needs it
  await mkdir(folder, { mode: 0o700 })
  const railyard = await startOldRailyard({ ARCHIVE_DIR: folder })
  try {
    const months = Math.ceil(kills * MONTHS_A_KILL) + 1
    const shop = await makeMonths(railyard, months, payments)
    return await killAndCompare({ railyard, shop, folder, months }, { kills, seed, progress })
  } finally {
    await railyard.close()
    await rm(parent, { recursive: true, force: true })
  }
}

/** Periods of old payments, each with its own partitions, and payments that stay. */
async function makeMonths(railyard: TestRailyard, months: number, payments: number): Promise<Shop> {
  const shop = await openShop(railyard)
  for (let month = 0; month <= months; month++) {
    for (let count = 0; count < payments; count++) {
      const payment = await shop.sold(10_00 + count)
      if (count % 3 === 0) await payment.refund({ amount: 1_00 })
    }
    // the last month is too young for the process: it has no bound
    if (month < months) await cutNow(railyard)
  }
  return shop
}

interface Place {
  railyard: TestRailyard
  shop: Shop
  folder: string
  months: number
}

async function killAndCompare(
  place: Place,
  { kills, seed, progress }: Required<Pick<KillOptions, 'kills' | 'seed' | 'progress'>>,
): Promise<{ findings: string[]; figures: KillFigures }> {
  const { railyard, folder, months } = place
  const { databaseUrl = '', dataDir } = railyard.world.settings
  const env = {
    DATABASE_URL: databaseUrl,
    DATA_DIR: dataDir,
    ARCHIVE_DIR: folder,
    RETENTION_MONTHS: String(MONTHS),
    LOG_LEVEL: 'error',
  }
  const chance = seeded(seed)
  const findings: string[] = []
  const expected = { ids: await paymentIds(place), reports: await makeReports(place) }
  const compare = async (when: string) => {
    if ((await paymentIds(place)).join() !== expected.ids.join())
      findings.push(`${when}: the payments are not each once in tables or recorded files`)
    const reports = await makeReports(place)
    for (const [name, text] of Object.entries(expected.reports))
      if (reports[name] !== text) findings.push(`${when}: the report ${name} is not what it was`)
  }
  const figures: KillFigures = {
    kills: 0,
    beforeFiles: 0,
    withPartial: 0,
    withUnrecorded: 0,
    beforeDrop: 0,
    afterDrop: 0,
    retiredByKilled: 0,
    months,
    payments: expected.ids.length,
    unrecordedFiles: 0,
  }
  while (figures.kills < kills) {
    const before = new Set(await readdir(folder))
    const changes = chance.between(0, MAX_CHANGES)
    const isKilled = await retireAndKill(env, folder, changes, chance.between(0, MAX_DELAY_MS))
    await withoutLocks(railyard)
    if (!isKilled) break
    figures.kills += 1
    const left = (await readdir(folder)).filter((name) => !before.has(name))
    const recorded = await recordedNames(railyard)
    const unrecorded = left.filter((name) => !recorded.has(name)).length
    figures.retiredByKilled = recorded.size / FILES
    if (left.some((name) => name.endsWith('.part'))) figures.withPartial += 1
    else if (unrecorded > 0) {
      figures.withUnrecorded += 1
      if (unrecorded === FILES) figures.beforeDrop += 1
    } else if (left.length > 0) figures.afterDrop += 1
    else figures.beforeFiles += 1
    await compare(`kill ${figures.kills}`)
    progress(`kill ${figures.kills} after ${changes} changes: left ${left.join(' ') || 'nothing new'}`)
  }
  if (figures.kills < kills) findings.push(`every month was retired after ${figures.kills} kills`)
  const last = await startRetiring(env).ended
  if (last.code !== 0) findings.push(`the last run ended with ${last.code}: ${last.output}`)
  await compare('at the end')
  findings.push(...(await checkFolder(place)))
  figures.unrecordedFiles = (await readdir(folder)).length - (await recordedNames(railyard)).size
  const verified = await runVerify(env)
  if (verified.code !== 0) findings.push(`railyard verify ended with ${verified.code}: ${verified.output}`)
  return { findings, figures }
}

/** No line of it is waited for. */
const startRetiring = (env: Record<string, string>) =>
  launch(['src/main.js', 'partitions', 'retire', '--yes'], env, /(?!)/)

/** Answers false if the process ended by itself, before the folder had so many changes. */
async function retireAndKill(
  env: Record<string, string>,
  folder: string,
  changes: number,
  delayMs: number,
): Promise<boolean> {
  const operator = startRetiring(env)
  let seen = 0
  const isReached = Promise.withResolvers<void>()
  const watcher = watch(folder, () => {
    seen += 1
    if (seen >= Math.max(changes, 1)) isReached.resolve()
  })
  if (changes === 0) isReached.resolve()
  void isReached.promise.then(() => wait(changes === 0 ? delayMs * 20 : delayMs)).then(operator.kill)
  const { code, output } = await operator.ended
  watcher.close()
  isReached.resolve()
  if (code !== null && code !== 0) throw new Error(`partitions retire ended with ${code}: ${output}`)
  return code === null
}

/** Waits until PostgreSQL has ended what the killed process held. */
async function withoutLocks({ world }: TestRailyard): Promise<void> {
  const held = () => world.run(`select from ${locksOfRetirement}`, [])
  while ((await held()).length > 0) await wait(20)
}

/** The ids of all payments, in tables and in recorded files, with those that are there twice. */
async function paymentIds({ railyard: { world }, folder }: Pick<Place, 'railyard' | 'folder'>) {
  const rows = await world.run<{ id: string }>('select id from transactions', [])
  const ids = rows.map(({ id }) => id)
  for (const file of await readFiles(world.run))
    if (file.kind === 'transactions')
      await withRecordedFile(folder, file, async (handle) => {
        for await (const group of readParquet(handle, file.bytes)) ids.push(...group.map(({ id }) => `${id}`))
      })
  return ids.sort()
}

const recordedNames = async ({ world }: TestRailyard) =>
  new Set((await readFiles(world.run)).map(({ name }) => name))

const keptFields = transactionFieldNames.filter((name) => !isPersonal(name) && !isErasable(name))
const ever = { start: '2000-01-01', end: null }
const specs = [
  ['transactions', { fields: keptFields }],
  ['detailed_settlement', { filters: { ingested_at: ever } }],
  ['accounts_receivables', { filters: { timestamp: ever } }],
] as const

/** The files of the reports over all months. */
async function makeReports({
  railyard: { world },
  shop: { account },
}: Place): Promise<Record<string, string>> {
  const made: Record<string, string> = {}
  const context = { reference_timestamp: '2030-01-01T00:00:00Z', reference_timezone: 'Etc/UTC' }
  const input = { account, schedule: 'once' as const, context }
  for (const [model, params] of specs) {
    const { tables, windows, rows } = models[model]
    const spans = windows(params, input)
    made[model] = await withArchivedPayments(world, { account, spans, tables }, async (reading, sources) => {
      const lines = []
      for await (const some of rows(params, { ...input, world: reading, sources })) lines.push(...some)
      return toCsv(lines)
    })
  }
  return made
}

/** At the end: no half-written file, and each file that no record names is complete. */
async function checkFolder({ railyard, folder, months }: Place): Promise<string[]> {
  const findings: string[] = []
  const recorded = await recordedNames(railyard)
  if (recorded.size !== months * FILES)
    findings.push(`${recorded.size} files are recorded for ${months} months`)
  for (const name of await readdir(folder)) {
    if (!name.endsWith('.parquet')) findings.push(`${name} is left behind`)
    else if (!recorded.has(name)) {
      const handle = await open(join(folder, name))
      try {
        for await (const rows of readParquet(handle, (await handle.stat()).size)) void rows
      } catch (error) {
        findings.push(`${name} has its name and is not complete: ${error}`)
      } finally {
        await handle.close()
      }
    }
  }
  return findings
}
