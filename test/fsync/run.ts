import { mkdtemp, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { freePort, freshToken } from '../crash/crashes.ts'
import { launchRailyard, launchSimulator } from '../crash/process.ts'
import { serverFolder } from '../secrets/places.ts'
import { proof, proofDatabase, reportFindings } from '../support/proof.ts'
import { ownDatabase } from '../support/railyard.ts'
import { holdOrder, writersOf } from './order.ts'
import { pay } from './pay.ts'
import { readSyscalls } from './syscalls.ts'
import { CannotTrace, trace } from './trace.ts'
import { commitsIn } from './wal.ts'

// npm run test:fsync -- --payments 200                                                       the embedded
// database bash scripts/with-postgres.sh npm run test:fsync POSTGRES_OPTIONS='-c fsync=off' bash
// scripts/with-postgres.sh npm run test:fsync           must fail

const { payments: wanted, workers } = proof('fsync', { payments: 200, workers: 16 })

const folder = await mkdtemp(join(tmpdir(), 'railyard-fsync-'))
const database = await ownDatabase()
const simulator = launchSimulator(join(folder, 'books.jsonl'), 1_500)
const env = {
  RAILYARD_ENV: 'sandbox',
  DATA_DIR: join(folder, 'data'),
  PORT: String(await freePort()),
  SANDBOX_URL: (await simulator.ready).url,
  LOG_LEVEL: 'error',
  ...(database && { DATABASE_URL: database.url }),
}
const railyard = launchRailyard(env)
console.log(`${proofDatabase()}, ${wanted} payments, captured and refunded, ${workers} at a time`)

async function run(): Promise<void> {
  const { url } = await railyard.ready
  const server = database && (await serverOf(database.url))
  const tracing = await trace([railyard.pid, ...(server?.pids ?? [])], join(folder, 'trace'))
  const payments = await pay({ url, token: await freshToken(env), payments: wanted, workers })
  const log = await tracing.stop()
  const commits = commitsIn(server?.log ?? join(env.DATA_DIR, 'database', 'pg_wal'))
  await railyard.stop()
  const syscalls = readSyscalls(log)
  const { findings, ...figures } = holdOrder(syscalls, commits, await writersOf(env, payments))
  if (figures.operations !== 3 * payments.length)
    findings.push(
      `${payments.length} payments were captured and refunded, and ${figures.operations} operations are there`,
    )
  console.log(JSON.stringify({ ...figures, writesOfTheLog: syscalls.writes, fsyncsOfTheLog: syscalls.syncs }))
  reportFindings(findings)
}

/**
 * The processes of the PostgreSQL with this database, and the folder of its log, which its superuser may
 * read.
 */
async function serverOf(databaseUrl: string): Promise<{ pids: number[]; log: string }> {
  const data = join(await serverFolder(databaseUrl), 'data')
  const first = Number((await readFile(join(data, 'postmaster.pid'), 'utf8')).split('\n')[0])
  const others = (await readFile(`/proc/${first}/task/${first}/children`, 'utf8'))
    .trim()
    .split(' ')
    .map(Number)
  return { pids: [first, ...others], log: join(data, 'pg_wal') }
}

try {
  await run()
} catch (error) {
  if (!(error instanceof CannotTrace)) throw error
  console.error(`cannot be tried here: ${error.message}`)
  process.exitCode = 2
} finally {
  railyard.kill()
  await railyard.ended
  await simulator.stop()
  await database?.drop()
  await rm(folder, { recursive: true, force: true })
}
