import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { createLog } from '../../src/observability/log.ts'
import { type Railyard, startRailyard } from '../../src/process/railyard.ts'
import { fileUrl } from '../../src/reports/executions/file-url.ts'
import { transactionFieldNames } from '../../src/reports/models/transaction-fields.ts'
import { insertReport } from '../../src/reports/report.store.ts'
import { readSettings } from '../../src/settings.ts'
import { fillPayments } from '../replay/fill.ts'

// bash scripts/with-postgres.sh node --expose-gc bench/reports/reports.ts --rows 200000 A report with every
// column: how long it takes, how large it is, and what memory the process takes more for it. First one of a
// tenth, for comparison.

const { values } = parseArgs({
  options: { rows: { type: 'string', default: '200000' }, sorted: { type: 'boolean', default: false } },
})
const rows = Number(values.rows)
const SERVICE = '018f0000-0000-7000-8000-00000000000a'
const MIB = 1024 * 1024

/** The peak memory and the duration of `work`. */
async function watched<T>(
  work: () => Promise<T>,
): Promise<{ result: T; seconds: number; grown: number; longest: number }> {
  globalThis.gc?.()
  const before = process.memoryUsage.rss()
  let peak = before
  let last = performance.now()
  let longest = 0
  const timer = setInterval(() => {
    peak = Math.max(peak, process.memoryUsage.rss())
    longest = Math.max(longest, performance.now() - last - 10)
    last = performance.now()
  }, 10)
  const started = performance.now()
  const result = await work()
  clearInterval(timer)
  return { result, seconds: (performance.now() - started) / 1_000, grown: (peak - before) / MIB, longest }
}

async function measure({ world, reports }: Railyard, name: string, end: string): Promise<void> {
  const sort = values.sorted ? [{ field: 'amount', order: 'desc' }] : []
  const params = {
    fields: transactionFieldNames,
    filters: { created_at: { start: '2000-01-01', end } },
    sort,
  }
  const creator = { creator_id: null, creator_display_name: null, creator_type: null }
  const plan = { schedule: 'once', schedule_enabled: false, schedule_timezone: 'Etc/UTC' } as const
  const report = await insertReport(world, {
    account: 'default',
    name,
    description: null,
    ...plan,
    spec: { model: 'transactions', params },
    ...creator,
  })
  const made = await watched(() => reports.runOnce())
  const execution = report.latest_execution?.id ?? ''
  const url = fileUrl(world, {
    account: 'default',
    execution,
    expires: Math.ceil(world.clock.now() / 1_000) + 600,
  })
  const read = await watched(async () => {
    const answer = await fetch(url)
    let bytes = 0
    for await (const chunk of answer.body ?? []) bytes += chunk.length
    return bytes
  })
  const part = ({ seconds, grown, longest }: typeof made) =>
    `${seconds.toFixed(1)} s, ${grown.toFixed(0)} MB more, loop held ${longest.toFixed(0)} ms at most`
  console.log(
    `${name}: ${(read.result / 1e6).toFixed(1)} MB · made in ${part(made)} · downloaded in ${part({ ...read, result: 0 })}`,
  )
}

const dataDir = await mkdtemp(join(tmpdir(), 'railyard-bench-'))
const url = process.env['DATABASE_URL'] ?? ''
const settings = readSettings({
  DATA_DIR: dataDir,
  PORT: '0',
  DATABASE_URL: url,
  RECOVERY_INTERVAL_MS: '60000',
})
const railyard = await startRailyard(settings, { log: createLog('warn') })
await fillPayments(url, rows, [SERVICE, SERVICE, SERVICE])
await measure(railyard, 'a tenth', '2026-06-10')
await measure(railyard, `${rows} payments`, '2027-01-01')
await measure(railyard, 'the same again', '2027-01-01')
await railyard.close()
await rm(dataDir, { recursive: true })
