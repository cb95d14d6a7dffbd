import { spawnSync } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import { measureArchive } from './archive/archive.ts'
import { measureCost } from './cost/cost.ts'
import { measureHealth } from './health/health.ts'
import { measureHome } from './home/home.ts'
import { measureHotspot } from './hotspot/hotspot.ts'
import { measureInsights } from './insights/insights.ts'
import { measureInstall } from './install/install.ts'
import { measureLatency } from './latency/latency.ts'
import { measureLists } from './lists/lists.ts'
import { startGenerator } from './load.ts'
import { provenance, stealMeter } from './machine.ts'
import { measureMemory } from './memory/memory.ts'
import { measureNewcomer } from './newcomer/newcomer.ts'
import { measureNodes } from './nodes/nodes.ts'
import { type Options, type Part, readOptions } from './options.ts'
import { measureOverload } from './overload/overload.ts'
import { measureCut, measureRetire } from './partitions/commands.ts'
import { measurePartitions } from './partitions/partitions.ts'
import { measurePay } from './pay/pay.ts'
import { describeServer } from './postgres.ts'
import { measureBreaks } from './reconcile/breaks.ts'
import { measureReconcile } from './reconcile/reconcile.ts'
import { measureReplay } from './replay/replay.ts'
import { measureReplicas } from './replicas/replicas.ts'
import { type Goal, goalTable } from './report.ts'
import { measureRules } from './rules/rules.ts'
import { measureScale } from './scale/scale.ts'
import { measureSoak } from './soak/soak.ts'
import { measureStart } from './start/start.ts'
import { measureLookups } from './vault/lookups.ts'
import { measureStoredCards } from './vault/payments.ts'
import { measureVerify } from './verify/verify.ts'
import { measureWebhooks } from './webhooks/webhooks.ts'

// bench/README.md explains the rows.

/** The number of breaks in a report of this many payments. */
const PAYMENTS_WITH_BREAKS = 101_000
const BREAKS = 1_000

const args = process.argv.slice(2)
const options = readOptions(args)
const root = fileURLToPath(new URL('../', import.meta.url))

const withoutDatabase: readonly Part[] = ['rules', 'install', 'newcomer']
const onPostgresOnly: readonly Part[] = [
  'lists',
  'replay',
  'scale',
  'cost',
  'partitions',
  'cut',
  'retire',
  'archive',
  'nodes',
]
const needsPostgres = options.parts.some((part) =>
  options.engines.includes('postgres') ? !withoutDatabase.includes(part) : onPostgresOnly.includes(part),
)
if (needsPostgres && !process.env['DATABASE_URL']) {
  // Run the same command again with a separate PostgreSQL.
  const { status } = spawnSync(
    'bash',
    ['scripts/with-postgres.sh', process.execPath, 'bench/run.ts', ...args],
    {
      cwd: root,
      stdio: 'inherit',
      // counts the statements that it gets (pay/counters.ts), and records the time of each commit
      // (webhooks/lag.ts)
      env: {
        ...process.env,
        POSTGRES_OPTIONS: `-c shared_preload_libraries=pg_stat_statements -c track_commit_timestamp=on ${process.env['POSTGRES_OPTIONS'] ?? ''}`,
      },
    },
  )
  process.exit(status ?? 1)
}

async function measure({ parts, engines }: Options): Promise<void> {
  const steal = stealMeter()
  console.log(
    `${provenance()}${needsPostgres ? ` · ${await describeServer()}` : ''} · ${options.rounds} rounds of ${options.seconds} s`,
  )
  const generator = startGenerator()
  const goals: Goal[] = []
  const problems: string[] = []
  const keep = (measured: { goals: Goal[]; problems: string[] }) => {
    goals.push(...measured.goals)
    problems.push(...measured.problems)
  }
  if (parts.includes('pay')) for (const engine of engines) keep(await measurePay(engine, generator, options))
  if (parts.includes('vault')) {
    for (const engine of engines) keep(await measureStoredCards(engine, generator, options))
    for (const engine of engines) keep(await measureLookups(engine, generator, options))
  }
  if (parts.includes('lists')) keep(await measureLists(generator, options))
  if (parts.includes('rules')) keep(measureRules(options))
  if (parts.includes('replay')) keep(await measureReplay(generator, options))
  if (parts.includes('start')) for (const engine of engines) keep(await measureStart(engine, options))
  if (parts.includes('memory'))
    for (const engine of engines) keep(await measureMemory(engine, generator, options))
  if (parts.includes('latency')) for (const engine of engines) keep(await measureLatency(engine, options))
  if (parts.includes('overload'))
    for (const engine of engines) keep(await measureOverload(engine, generator, options))
  if (parts.includes('hotspot'))
    for (const engine of engines) keep(await measureHotspot(engine, generator, options))
  if (parts.includes('scale')) keep(await measureScale(options))
  if (parts.includes('cost')) keep(await measureCost(generator, options))
  if (parts.includes('install')) keep(await measureInstall())
  if (parts.includes('soak'))
    for (const engine of engines) keep(await measureSoak(engine, generator, options.minutes))
  if (parts.includes('health')) keep(await measureHealth(options))
  if (parts.includes('webhooks') && engines.includes('postgres')) keep(await measureWebhooks(options))
  if (parts.includes('insights') && engines.includes('postgres')) keep(await measureInsights(options))
  if (parts.includes('reconcile') && engines.includes('postgres')) keep(await measureReconcile(options.lines))
  if (parts.includes('breaks') && engines.includes('postgres'))
    keep(await measureBreaks(PAYMENTS_WITH_BREAKS, BREAKS))
  if (parts.includes('verify') && engines.includes('postgres'))
    keep(await measureVerify(options.transactions))
  if (parts.includes('home') && engines.includes('postgres')) keep(await measureHome(options.transactions))
  if (parts.includes('partitions')) keep(await measurePartitions(options))
  if (parts.includes('cut')) keep(await measureCut(options.transactions))
  if (parts.includes('retire')) keep(await measureRetire(options.transactions))
  if (parts.includes('replicas') && engines.includes('postgres')) keep(await measureReplicas(options))
  if (parts.includes('archive')) keep(await measureArchive(options.transactions))
  if (parts.includes('newcomer')) keep(await measureNewcomer())
  if (parts.includes('nodes')) keep(await measureNodes(generator, options))
  generator.stop()
  console.log(`\n### Goals\n\n${goalTable(goals)}\n\nCPU time stolen by the host: ${steal().toFixed(1)} %`)
  for (const problem of problems.slice(0, 20)) console.error(`WRONG: ${problem}`)
  // gates are for people to judge on their own machine; wrong books and failed requests are wrong anywhere
  if (problems.length > 0) process.exitCode = 1
}

await measure(options)
