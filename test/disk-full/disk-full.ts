import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as wait } from 'node:timers/promises'
import { createClient } from '../crash/client.ts'
import { compare } from '../crash/compare.ts'
import { freePort, freshToken } from '../crash/crashes.ts'
import { createInstruments } from '../crash/instruments.ts'
import { startLoad } from '../crash/load.ts'
import { configure } from '../crash/orchestration.ts'
import { type Ended, launchRailyard, launchSimulator } from '../crash/process.ts'
import { reviewerAt } from '../crash/reviewer.ts'
import { type PostgresServer, postgresServer } from '../processes/postgres-server.ts'
import { mountSmallDisk, type SmallDisk } from './mount.ts'

export interface DiskFullOptions {
  /**
   * The PostgreSQL whose disk is filled, on this machine and for this test only; undefined: the embedded
   * database.
   */
  databaseUrl?: string | undefined
  rounds: number
  seed: number
  progress(line: string): void
}

interface Result {
  findings: string[]
  requests: number
  /** The statuses of writing requests while the disk was full. */
  refused: Record<string, number>
  /** The time from free space to the first payment with 201, each time. */
  healedMs: number[]
  /** How often PostgreSQL ended without space and was started again. */
  databaseEnded: number
}

const DISK_BYTES = 256 * 1024 * 1024
/** PostgreSQL keeps more of its log and frees no space by itself. */
const POSTGRES_DISK_BYTES = 2 * 1024 * 1024 * 1024
/** The space that is left when the disk is filled: none, or less than the embedded database reserves. */
const LEFT_BYTES = [0, 30 * 1024 * 1024]
/** Or some space, which is used up during the test. */
const POSTGRES_LEFT_BYTES = [0, 1024 * 1024]
const FULL_MS = 4_000
const HEALED_WITHIN_MS = 10_000
const ANSWERED_WITHIN_MS = 15_000
const card = { method: 'card', number: '4111111111111111', expiration_date: '12/35', security_code: '123' }
const payment = { amount: 12_99, currency: 'USD', country: 'US', payment_method: card }

/**
 * Fills the disk of the database under load, again and again. Writes get 503, reads are answered, no process
 * ends, and with free space the service recovers by itself. Afterwards its data is compared with the clients'
 * answers and the payment service's books.
 */
export async function fillDiskUnderLoad({
  databaseUrl,
  rounds,
  seed,
  progress,
}: DiskFullOptions): Promise<Result> {
  const disk = await mountSmallDisk(databaseUrl ? POSTGRES_DISK_BYTES : DISK_BYTES)
  const postgres = databaseUrl ? await postgresServer(databaseUrl) : undefined
  await postgres?.moveInto(disk.folder)
  const books = await mkdtemp(join(tmpdir(), 'railyard-books-'))
  const booksFile = join(books, 'books.jsonl')
  const simulator = launchSimulator(booksFile, 1_500)
  const client = createClient()
  const { url: sandboxUrl } = await simulator.ready
  const env = {
    RAILYARD_ENV: 'sandbox',
    DATA_DIR: databaseUrl ? join(books, 'data') : join(disk.folder, 'data'),
    ...(databaseUrl && { DATABASE_URL: databaseUrl }),
    PORT: String(await freePort()),
    SANDBOX_URL: sandboxUrl,
    PROVIDER_TIMEOUT_MS: '800',
    RECOVERY_INTERVAL_MS: '200',
    LOG_LEVEL: 'fatal',
  }
  let railyard = launchRailyard(env)
  let died: Ended | undefined
  void railyard.ended.then((ended) => {
    died = ended
  })
  try {
    const { url } = await railyard.ready
    const token = await freshToken(env)
    client.reach(url, token)
    const reviewer = reviewerAt(await configure(client))
    const load = startLoad(client, { seed, workers: 12, purse: await createInstruments(client), reviewer })
    load.resume()
    progress(`ready; ${await disk.freeBytes()} bytes are free`)
    const left = postgres ? POSTGRES_LEFT_BYTES : LEFT_BYTES
    const result: Result = { findings: [], requests: 0, refused: {}, healedMs: [], databaseEnded: 0 }
    for (let round = 0; round < rounds && !died; round++) {
      await wait(1_500)
      const found = await fillOnce(disk, {
        url,
        token,
        postgres,
        leave: left[round % left.length] ?? 0,
        progress,
      })
      result.findings.push(...found.findings)
      for (const status of found.statuses) result.refused[status] = (result.refused[status] ?? 0) + 1
      result.healedMs.push(found.healedMs)
      result.databaseEnded += found.databaseEnded
      progress(
        `round ${round + 1}: ${found.statuses.length} requests that write while it was full, well ${found.healedMs} ms after`,
      )
    }
    result.requests = client.log.length
    if (died)
      return { ...result, findings: [...result.findings, `the process ended: ${died.output.slice(-1_000)}`] }
    const compared = await compare({
      client,
      load,
      reviewer,
      env,
      sandboxUrl,
      booksFile,
      progress,
      service: {
        stop: async () => [await railyard.stop()],
        async start() {
          railyard = launchRailyard(env)
          await railyard.ready
        },
      },
    })
    const started = postgres ? [] : await startOnFullDisk(disk, env)
    return {
      ...result,
      findings: [...result.findings, ...compared.findings, ...started],
      requests: client.log.length,
    }
  } finally {
    await client.close()
    railyard.kill()
    await railyard.ended
    await simulator.stop()
    await postgres?.kill().catch(() => undefined)
    await disk.remove()
    await rm(books, { recursive: true })
  }
}

/**
 * A start on a full disk ends with a message and changes nothing: with free space the same instance starts.
 */
async function startOnFullDisk(disk: SmallDisk, env: Record<string, string>): Promise<string[]> {
  const start = async () => {
    const railyard = launchRailyard(env)
    const ready = await railyard.ready.then(
      () => true,
      () => false,
    )
    return { ready, ...(await railyard.stop()) }
  }
  await disk.fill(0)
  const full = await start()
  await disk.free()
  const freed = await start()
  const findings: string[] = []
  if (full.ready || full.code !== 1 || !full.output.includes('its disk is full'))
    findings.push(`a start on a full disk ended with ${full.code}: ${full.output.slice(-500)}`)
  if (!freed.ready || freed.code !== 0)
    findings.push(`a start with space again ended with ${freed.code}: ${freed.output.slice(-500)}`)
  return findings
}

interface Asked {
  url: string
  token: string
  postgres: PostgresServer | undefined
  leave: number
  progress(line: string): void
}

/** Fills the disk once and frees it. */
async function fillOnce(disk: SmallDisk, { url, token, postgres, leave, progress }: Asked) {
  const headers = { authorization: `Bearer ${token}`, 'content-type': 'application/json' }
  const pay = () =>
    fetch(`${url}/transactions`, {
      method: 'POST',
      headers,
      body: JSON.stringify(payment),
      signal: AbortSignal.timeout(ANSWERED_WITHIN_MS),
    })
  const findings: string[] = []
  const statuses: number[] = []
  await disk.fill(leave)
  progress(`${await disk.freeBytes()} bytes are left`)
  const end = performance.now() + FULL_MS
  while (performance.now() < end) {
    const [written, read] = await Promise.all([pay(), fetch(`${url}/transactions?limit=1`, { headers })])
    const text = await written.text()
    await read.arrayBuffer()
    statuses.push(written.status)
    if (written.status !== 201 && written.status !== 503)
      findings.push(`a payment was answered ${written.status} ${text}`)
    if (written.status === 503 && !written.headers.get('retry-after'))
      findings.push('a refusal does not say when to come back')
    // a PostgreSQL that cannot write its log ends its sessions and answers no reads until it has recovered
    if (read.status !== 200 && !(postgres && read.status === 503))
      findings.push(`who reads was answered ${read.status}`)
    await wait(50)
  }
  if (!statuses.includes(503)) findings.push(`nobody was refused: ${await disk.freeBytes()} bytes were left`)
  await disk.free()
  const hasEnded = postgres !== undefined && !postgres.runs()
  if (hasEnded) await postgres.start()
  const freed = performance.now()
  let status = 0
  while (status !== 201 && performance.now() - freed < HEALED_WITHIN_MS) {
    const answer = await pay()
    await answer.arrayBuffer()
    status = answer.status
  }
  if (status !== 201)
    findings.push(`${HEALED_WITHIN_MS} ms after space was there a payment was answered ${status}`)
  return {
    findings,
    statuses,
    healedMs: Math.round(performance.now() - freed),
    databaseEnded: hasEnded ? 1 : 0,
  }
}
