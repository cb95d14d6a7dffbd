import { startInstance } from '../instance.ts'
import type { Generator } from '../load.ts'
import type { Options } from '../options.ts'
import { countPerPayment } from '../pay/counters.ts'
import { measureLoad } from '../pay/measure.ts'
import { payments } from '../pay/payment.ts'
import { exactly, type Goal, number, table } from '../report.ts'
import { failures, interleave, over } from '../rounds.ts'
import type { Figure } from '../statistics.ts'

const MILLION = 1_000_000
const MS_PER_HOUR = 3_600_000
const BYTES_PER_GB = 1_000_000_000
/**
 * On-demand prices of large clouds in 2026, in US dollars: an hour of a virtual CPU with 4 GB, and a month of
 * a GB of disk.
 */
const PER_CPU_HOUR = 0.05
const PER_GB_MONTH = 0.12

/**
 * The cost of a million payments on PostgreSQL: CPU of server and database, and disk for rows, indexes and
 * log.
 */
export async function measureCost(
  generator: Generator,
  options: Options,
): Promise<{ goals: Goal[]; problems: string[] }> {
  const instance = await startInstance('postgres')
  const load = { ...payments(instance), connections: 32 }
  const name = 'payments @ 32'
  const results = await interleave(
    [{ name, measure: (seconds) => measureLoad(generator, { ...load, until: { seconds } }, instance.cpuMs) }],
    options,
  )
  const problems = [...(await instance.closeAndAudit()), ...failures(results)]
  const { stored, wal } = await countPerPayment(generator)
  const each = over(results, name, ({ cpuMs }) => cpuMs)
  const hours = scaled(each, MILLION / MS_PER_HOUR)
  const [rows, log] = [(stored * MILLION) / BYTES_PER_GB, (wal * MILLION) / BYTES_PER_GB]
  console.log('\n### A million payments, PostgreSQL\n')
  console.log(
    table(
      [
        'CPU-ms each',
        'vCPU-h',
        'GB of rows and indexes',
        'GB of log',
        `$ of CPU at ${PER_CPU_HOUR}/h`,
        `$ a month of rows at ${PER_GB_MONTH}/GB`,
      ],
      [[each.median, hours.median, rows, log, hours.median * PER_CPU_HOUR, rows * PER_GB_MONTH].map(number)],
    ),
  )
  return {
    problems,
    goals: [
      {
        name: 'P19 a million payments',
        figure: hours,
        unit: 'vCPU-h',
        better: 'lower',
        gate: 1.25,
        aim: 0.6,
      },
      {
        name: 'P19 a million payments, log included',
        figure: exactly(rows + log),
        unit: 'GB',
        better: 'lower',
        gate: 20,
        aim: 11,
      },
    ],
  }
}

const scaled = ({ median, low, high }: Figure, by: number): Figure => ({
  median: median * by,
  low: low * by,
  high: high * by,
})
