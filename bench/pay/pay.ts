import { assistant } from '../assistant.ts'
import { type Instance, newPlace, startInstance } from '../instance.ts'
import type { Generator, Load } from '../load.ts'
import type { Engine, Options } from '../options.ts'
import { postmaster, separateDatabase } from '../postgres.ts'
import { cpuMs } from '../processes.ts'
import { exactly, type Goal, number, spread, table } from '../report.ts'
import { type Contender, failures, interleave, over, type Results, ratio } from '../rounds.ts'
import type { BareQuestion } from './bare.process.ts'
import { countPerPayment } from './counters.ts'
import { rowOf, startDatabasePeer } from './database-peer.ts'
import { signMany } from './fresh-tokens.ts'
import { measureLoad } from './measure.ts'
import { medusa } from './medusa.ts'
import { headersOf, pay, payments } from './payment.ts'
import { CONNECTIONS as MAX_COUNT, type Peer } from './peer.ts'
import { peerNames, startPeers } from './peers.ts'
import type { RawQuestion } from './raw.process.ts'
import type { Recording } from './record.process.ts'
import { vendure } from './vendure.ts'
import type { VerifyQuestion } from './verify.process.ts'

const names = {
  raw: `raw SQL @ ${MAX_COUNT}`,
  shared: `raw SQL in shared commits @ ${MAX_COUNT}`,
  bare: `bare route @ ${MAX_COUNT}`,
  ours: `payments @ ${MAX_COUNT}`,
  keyed: `payments @ ${MAX_COUNT}, idempotency keys`,
  rawRead: `raw read @ ${MAX_COUNT}`,
  read: `GET by id @ ${MAX_COUNT}`,
  verify: 'ES512 verification alone',
  fresh: `payments @ ${MAX_COUNT}, fresh tokens`,
  freshRead: `GET by id @ ${MAX_COUNT}, fresh tokens`,
}

const databasePeers = [medusa, vendure]

/** Payments and their comparisons, on one kind of database. */
export async function measurePay(
  engine: Engine,
  generator: Generator,
  options: Options,
): Promise<{ goals: Goal[]; problems: string[] }> {
  const recorder = assistant<null, Recording>(new URL('./record.process.ts', import.meta.url))
  const recording = await recorder.ask(null)
  recorder.stop()
  const instance = await startInstance(engine)
  const raw = await startRaw(engine, recording)
  const bare = await startBare(instance, recording, generator)
  const verification = startVerification(instance)
  const peers = [
    ...(await startPeers(generator, instance)),
    ...(engine === 'postgres' ? await startDatabasePeers(generator, options) : []),
  ]
  const contenders = [
    raw.pay,
    raw.shared,
    bare.contender,
    ...[1, 8, MAX_COUNT].map((connections) =>
      paying(instance, generator, `payments @ ${connections}`, { connections }),
    ),
    paying(instance, generator, names.keyed, { connections: MAX_COUNT, keyed: true }),
    raw.read,
    await reading(instance, generator),
    verification.contender,
    ...(await withFreshTokens(instance, generator, verification.limit)),
    ...peers,
  ]
  const results = await interleave(contenders, options)
  for (const helper of [raw, bare, verification, ...peers]) await helper.stop()
  const problems = await instance.closeAndAudit()
  const failed = failures(results)
  print(engine, results)
  console.log(
    `\n${failed.length} failures; afterwards ${problems.length === 0 ? 'verify is clean and the provider’s books agree with ours' : 'the books are WRONG'}`,
  )
  const goals = [...goalsOf(engine, results), ...(engine === 'postgres' ? await countedGoals(generator) : [])]
  return { goals, problems: [...problems, ...failed] }
}

const paying = (
  instance: Instance,
  generator: Generator,
  name: string,
  load: Pick<Load, 'connections' | 'keyed'>,
): Contender => ({
  name,
  measure: (seconds) =>
    measureLoad(generator, { ...payments(instance), ...load, until: { seconds } }, instance.cpuMs),
})

async function reading(instance: Instance, generator: Generator): Promise<Contender> {
  const load = await readsOf(instance)
  return {
    name: names.read,
    measure: (seconds) => measureLoad(generator, { ...load, until: { seconds } }, instance.cpuMs),
  }
}

async function readsOf(instance: Instance): Promise<Omit<Load, 'until'>> {
  const { id } = await pay(instance)
  return {
    url: instance.url,
    method: 'GET',
    paths: [`/transactions/${id}`],
    headers: headersOf(instance),
    connections: MAX_COUNT,
  }
}

/** Those that the options name, one after the other: an installation takes both processors. */
async function startDatabasePeers(generator: Generator, options: Options): Promise<Peer[]> {
  const started: Peer[] = []
  for (const peer of databasePeers)
    if (options[peer.name]) started.push(await startDatabasePeer(peer, generator))
  return started
}

/**
 * The same statements without the service: the limit of the database. The embedded one runs in that process.
 */
async function startRaw(engine: Engine, recording: Recording) {
  const place = await newPlace(engine, separateDatabase)
  const helper = assistant<RawQuestion, { rate: number }>(
    new URL('./raw.process.ts', import.meta.url),
    place.env,
  )
  const processes = [
    helper.pid,
    ...(engine === 'postgres' ? [await postmaster(place.env['DATABASE_URL'])] : []),
  ]
  const contender = (name: string, what: RawQuestion['what']): Contender => ({
    name,
    async measure(seconds) {
      const before = cpuMs(processes)
      const began = performance.now()
      const { rate } = await helper.ask({ recording, what, seconds, callers: MAX_COUNT })
      const done = (rate * (performance.now() - began)) / 1000
      return { rate, errors: 0, cpuMs: (cpuMs(processes) - before) / done }
    },
  })
  const stop = async () => {
    helper.stop()
    await place.remove()
  }
  return {
    pay: contender(names.raw, 'pay'),
    shared: contender(names.shared, 'share'),
    read: contender(names.rawRead, 'read'),
    stop,
  }
}

async function startBare(instance: Instance, recording: Recording, generator: Generator) {
  const helper = assistant<BareQuestion, { url: string }>(new URL('./bare.process.ts', import.meta.url))
  const { publicJwk, algorithm } = instance.signer
  const { url } = await helper.ask({ publicJwk, algorithm, answer: recording.answer })
  const contender: Contender = {
    name: names.bare,
    measure: (seconds) =>
      measureLoad(
        generator,
        { ...payments({ url, token: instance.token }), connections: MAX_COUNT, until: { seconds } },
        () => cpuMs([helper.pid]),
      ),
  }
  return { contender, stop: async () => helper.stop() }
}

function startVerification(instance: Instance) {
  const helper = assistant<VerifyQuestion, { rate: number }>(new URL('./verify.process.ts', import.meta.url))
  const { publicJwk, algorithm } = instance.signer
  let limit = 0
  let tokens: string[] | undefined
  const contender: Contender = {
    name: names.verify,
    async measure(seconds) {
      tokens ??= await signMany(instance.signer, 500)
      const before = cpuMs([helper.pid])
      const { rate } = await helper.ask({ publicJwk, algorithm, tokens, seconds, callers: MAX_COUNT })
      limit = Math.max(limit, rate)
      return { rate, errors: 0, cpuMs: (cpuMs([helper.pid]) - before) / (rate * seconds) }
    },
  }
  return { contender, limit: () => limit, stop: async () => helper.stop() }
}

/** As many tokens as could be verified are signed beforehand, since signing takes the same CPU. */
async function withFreshTokens(
  instance: Instance,
  generator: Generator,
  limit: () => number,
): Promise<Contender[]> {
  const contender = (name: string, load: Omit<Load, 'until'>): Contender => ({
    name,
    async measure(seconds) {
      const tokens = await signMany(instance.signer, Math.ceil(limit() * seconds * 1.1) + 200)
      await instance.loopDelay()
      const measured = await measureLoad(generator, { ...load, tokens, until: { seconds } }, instance.cpuMs)
      return { ...measured, loopDelay: await instance.loopDelay() }
    },
  })
  return [
    contender(names.fresh, { ...payments(instance), connections: MAX_COUNT }),
    contender(names.freshRead, await readsOf(instance)),
  ]
}

function print(engine: Engine, results: Results): void {
  const rows = [...results.keys()].map((name) => {
    const of = (pick: Parameters<typeof over>[2]) => over(results, name, pick)
    return [
      name,
      spread(of(({ rate }) => rate)),
      ...[
        of(({ p50 }) => p50),
        of(({ p99 }) => p99),
        of(({ cpuMs }) => cpuMs),
        of(({ loopDelay }) => loopDelay),
      ].map(({ median }) => number(median)),
    ]
  })
  console.log(`\n### Payments, ${engine}\n`)
  console.log(table(['', 'per second', 'p50 ms', 'p99 ms', 'CPU-ms each', 'loop delay p99 ms'], rows))
}

function goalsOf(engine: Engine, results: Results): Goal[] {
  const goalOf = (name: string, figure: Goal['figure']): Goal => ({
    name: `${name}, ${engine}`,
    figure,
    unit: '',
    better: 'higher',
  })
  const goal = (
    name: string,
    figure: Goal['figure'],
    gate: number,
    aim: number,
    more: Partial<Goal> = {},
  ): Goal => ({
    ...goalOf(name, figure),
    gate,
    aim,
    ...more,
  })
  const lower = (unit: string): Partial<Goal> => ({ better: 'lower', unit })
  return [
    goal('P1 payments ÷ raw SQL in shared commits', ratio(results, names.ours, names.shared), 0.3, 0.6),
    goalOf('payments ÷ raw SQL, each statement a commit', ratio(results, names.ours, names.raw)),
    goalOf(
      'with idempotency keys ÷ raw SQL, each statement a commit',
      ratio(results, names.keyed, names.raw),
    ),
    goalOf('payments ÷ bare route', ratio(results, names.ours, names.bare)),
    goal(
      'P2 CPU per payment',
      over(results, names.ours, ({ cpuMs }) => cpuMs),
      4.5,
      1.8,
      lower('ms'),
    ),
    goal('P7 GET by id ÷ raw read', ratio(results, names.read, names.rawRead), 0.25, 0.4),
    goal(
      'P8 payments with fresh tokens ÷ verification alone',
      ratio(results, names.fresh, names.verify),
      0.75,
      0.9,
    ),
    goal(
      'P8 GET with fresh tokens ÷ verification alone',
      ratio(results, names.freshRead, names.verify),
      0.75,
      0.9,
    ),
    goal(
      'P8 loop delay p99 under fresh tokens',
      over(results, names.freshRead, ({ loopDelay }) => loopDelay),
      30,
      30,
      lower('ms'),
    ),
    ...databasePeers
      .filter((peer) => results.has(rowOf(peer)))
      .map((peer) => goal(`P3 payments ÷ ${peer.title}`, ratio(results, names.ours, rowOf(peer)), 10, 20)),
    ...(results.has(peerNames.prism)
      ? [goal('P4 payments ÷ Prism', ratio(results, names.ours, peerNames.prism), 0.6, 1)]
      : []),
    ...(results.has(peerNames.stripe)
      ? [goalOf('payments ÷ stripe-stateful-mock', ratio(results, names.ours, peerNames.stripe))]
      : []),
  ]
}

async function countedGoals(generator: Generator): Promise<Goal[]> {
  const { commits, crowdedCommits, statements, stored, wal } = await countPerPayment(generator)
  const goal = (name: string, value: number, unit: string, gate: number, aim: number): Goal => ({
    name,
    figure: exactly(value),
    unit,
    better: 'lower',
    gate,
    aim,
  })
  return [
    goal('P17 commits per payment, 8 at once', commits, '', 2, 2),
    goal('P17 commits per payment, 32 at once', crowdedCommits, '', 2, 0.5),
    goal('P17 statements per payment', statements, '', 4, 2),
    goal('P17 rows and indexes per payment', stored / 1000, 'kB', 8, 4.5),
    goal('P17 write-ahead log per payment', wal / 1000, 'kB', 12, 6),
  ]
}
