import { type ChildProcess, spawn, spawnSync } from 'node:child_process'
import { readdirSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as wait } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { newPlace, type Place, startProvider, startServer } from '../instance.ts'
import { queryOn } from '../postgres.ts'
import { residentMb } from '../processes.ts'
import { fillPayments } from '../replay/fill.ts'
import { exactly, type Goal, number, table } from '../report.ts'
import { writeReport } from './report.ts'

const main = fileURLToPath(new URL('../../src/main.js', import.meta.url))

/**
 * Measures the ingestion of a settlement file with this many lines, interrupted half-way and resumed, beside
 * a plain COPY of the same file.
 */
export async function measureReconcile(lines: number): Promise<{ goals: Goal[]; problems: string[] }> {
  const place = await newPlace('postgres')
  const url = place.env['DATABASE_URL'] ?? ''
  try {
    const service = await withPayments(place, url, lines)
    const file = join(place.folder, 'settlement.csv')
    const written = await writeReport(url, file)
    const copied = copySeconds(url, file)
    const first = await reconcileFile(place, file, service, async () => (await linesRead(url)) > written / 2)
    const atKill = await linesRead(url)
    const second = await reconcileFile(place, file, service)
    const seconds = first.seconds + second.seconds
    const again = await reconcileFile(place, file, service)
    const copiedAgain = copySeconds(url, file)
    const copy = (copied + copiedAgain) / 2
    console.log(`\n### A settlement file of ${written.toLocaleString('en-US')} lines, PostgreSQL\n`)
    const rows = [
      [
        'until kill -9',
        number(first.seconds),
        number(atKill / first.seconds),
        number(first.startMb),
        number(first.peakMb),
      ],
      [
        'the same command again',
        number(second.seconds),
        number((written - atKill) / second.seconds),
        number(second.startMb),
        number(second.peakMb),
      ],
      ['both', number(seconds), number(written / seconds), '–', '–'],
      ['a third time', number(again.seconds), '–', '–', number(again.peakMb)],
      ['COPY of the file', number(copy), number(written / copy), '–', '–'],
      ['ratio to COPY', number(seconds / copy), '–', '–', '–'],
    ]
    console.log(table(['', 'seconds', 'lines per second', 'RSS after 2 s, MB', 'RSS peak, MB'], rows))
    return {
      goals: [
        {
          name: `${written} settlement lines, killed once`,
          figure: exactly(written / seconds),
          unit: '/s',
          better: 'higher',
          gate: 16_000,
        },
        {
          name: 'RSS that reading them adds',
          figure: exactly(second.peakMb - second.startMb),
          unit: 'MB',
          better: 'lower',
          gate: 100,
        },
      ],
      problems: [
        ...(await wrongBooks(url, written)),
        ...(second.code === 0 && again.code === 0 ? [] : ['the command failed']),
      ],
    }
  } finally {
    if (!process.env['KEEP']) await place.remove()
  }
}

/** Creates a card payment service with as many captured payments as there will be lines. Returns its id. */
export async function withPayments(place: Place, url: string, lines: number): Promise<string> {
  const provider = await startProvider(place.folder)
  const server = await startServer(place, { SANDBOX_URL: provider.said.match[1] ?? '' })
  await server.stop()
  await provider.stop()
  const [row] = await queryOn<{ id: string }>(
    url,
    `select id from payment_services where payment_service_definition_id = 'mock-card' limit 1`,
  )
  const service = row?.id ?? ''
  // one in twelve of them is declined
  await fillPayments(url, Math.ceil((lines * 12) / 11), [service, service, service])
  return service
}

const linesRead = async (url: string): Promise<number> =>
  Number(
    (
      await queryOn<{ lines: string }>(
        url,
        'select coalesce(max(read_lines), 0) as lines from payment_service_report_files',
      )
    )[0]?.lines,
  )

interface Run {
  seconds: number
  /** Measured after two seconds, when everything is loaded. */
  startMb: number
  peakMb: number
  /** Null: killed. */
  code: number | null
}

/** Ingests a file, or a part of it until it is killed. */
export async function reconcileFile(
  place: Place,
  file: string,
  service: string,
  killWhen?: () => Promise<boolean>,
): Promise<Run> {
  const began = performance.now()
  const child = spawn(process.execPath, [main, 'reconcile', file, '--payment-service', service], {
    env: { ...process.env, ...place.env },
    stdio: ['ignore', 'inherit', 'ignore'],
  })
  const ended = new Promise<number | null>((resolve) => child.once('exit', resolve))
  const memory = watch(child, began)
  if (killWhen) {
    while (child.exitCode === null && !(await killWhen())) await wait(100)
    child.kill('SIGKILL')
  }
  const code = await ended
  return { seconds: (performance.now() - began) / 1_000, code, ...memory() }
}

/** The payment service's ids of the payments that no report has settled in full. */
export async function missingOf(place: Place, service: string): Promise<string[]> {
  const { stdout } = spawnSync(
    process.execPath,
    [main, 'reconcile', '--missing', '--older-than', '1s', '--payment-service', service],
    {
      env: { ...process.env, ...place.env },
      encoding: 'utf8',
      maxBuffer: 1024 * 1024 * 1024,
    },
  )
  return [...stdout.matchAll(/^\S+ {2}(\S+) {2}captured /gm)].map(([, reference = '']) => reference)
}

const SETTLED_MS = 2_000

function watch({ pid = 0 }: ChildProcess, began: number): () => Pick<Run, 'startMb' | 'peakMb'> {
  let [startMb, peakMb] = [0, 0]
  const look = () => {
    const now = residentMb(pid)
    peakMb = Math.max(peakMb, now)
    if (startMb === 0 && performance.now() - began > SETTLED_MS) startMb = now
  }
  const timer = setInterval(() => {
    try {
      look()
    } catch {
      // it has just ended
    }
  }, 100)
  return () => {
    clearInterval(timer)
    return { startMb, peakMb }
  }
}

function copySeconds(url: string, file: string): number {
  const bin = readdirSync('/usr/lib/postgresql').sort().at(-1)
  const psql = (command: string) =>
    spawnSync(`/usr/lib/postgresql/${bin}/bin/psql`, [
      '-q',
      '-d',
      url,
      '-v',
      'ON_ERROR_STOP=1',
      '-c',
      command,
    ])
  const columns = Array.from({ length: 14 }, (_, index) => `c${index} text`)
  psql(`drop table if exists copied; create table copied (${columns})`)
  const began = performance.now()
  const { status, stderr } = psql(`\\copy copied from '${file}' csv header`)
  if (status !== 0) throw new Error(`COPY failed: ${stderr}`)
  return (performance.now() - began) / 1_000
}

/** The differences from the file: every line once. */
async function wrongBooks(url: string, lines: number): Promise<string[]> {
  const [row] = await queryOn<Record<string, string>>(
    url,
    `select (select count(*) from settlements) as settlements, (select count(distinct transaction_id) from settlements) as payments,
            (select count(*) from transactions t where settled and settled_amount = (
               select sum(amount) from settlements s where s.merchant_account_id = t.merchant_account_id and s.transaction_id = t.id)) as settled,
            (select count(*) from events where name = 'transaction.settled') as events, (select count(*) from unmatched_report_lines) as unmatched`,
  )
  const expected: Record<string, number> = {
    settlements: lines,
    payments: lines,
    settled: lines,
    events: lines,
    unmatched: 0,
  }
  return Object.entries(expected).flatMap(([name, wanted]) =>
    Number(row?.[name]) === wanted ? [] : [`${row?.[name]} ${name}, and ${wanted} lines`],
  )
}
