import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { createLog } from '../../src/observability/log.ts'
import { type Railyard, startRailyard } from '../../src/process/railyard.ts'
import { transactionFieldNames } from '../../src/reports/models/transaction-fields.ts'
import { readSettings } from '../../src/settings.ts'
import { fillPayments } from '../replay/fill.ts'
import { type Watched, watched } from '../watched.ts'
import { makeReport } from './make-report.ts'

// bash scripts/with-postgres.sh node --expose-gc bench/reports/reports.ts --rows 200000 A report with every
// column: how long it takes, how large it is, and what memory the process takes more for it. First one of a
// tenth, for comparison.

const { values } = parseArgs({
  options: { rows: { type: 'string', default: '200000' }, sorted: { type: 'boolean', default: false } },
})
const rows = Number(values.rows)
const SERVICE = '018f0000-0000-7000-8000-00000000000a'

async function measure(railyard: Railyard, name: string, end: string): Promise<void> {
  const made = await makeReport(railyard, name, {
    fields: transactionFieldNames,
    filters: { created_at: { start: '2000-01-01', end } },
    sort: values.sorted ? [{ field: 'amount', order: 'desc' }] : [],
  })
  const read = await watched(async () => {
    const answer = await fetch(made.result)
    let bytes = 0
    for await (const chunk of answer.body ?? []) bytes += chunk.length
    return bytes
  })
  const part = ({ seconds, grownMb, heldMs }: Watched<unknown>) =>
    `${seconds.toFixed(1)} s, ${grownMb.toFixed(0)} MB more, loop held ${heldMs.toFixed(0)} ms at most`
  console.log(
    `${name}: ${(read.result / 1e6).toFixed(1)} MB · made in ${part(made)} · downloaded in ${part(read)}`,
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
