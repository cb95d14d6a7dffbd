import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as wait } from 'node:timers/promises'
import { seeded } from '../crash/chance.ts'
import { type Answer, type Client, createClient } from '../crash/client.ts'
import { launchSimulator, runVerify } from '../crash/process.ts'
import { mockCardService, ownDatabase } from '../support/railyard.ts'
import { type Feed, followFeed, readFeed } from './feed.ts'
import { type Load, startLoad } from './load.ts'
import { compare, type Figures, feedFindings } from './oracle.ts'
import { type Name, names, type Receivers, startReceivers } from './receivers.ts'
import { type Services, startServices } from './services.ts'

export interface ShowOptions {
  /** How many events at least. */
  events: number
  kills: number
  seed: number
  /**
   * One process on the embedded database, or two on a database of their own on the PostgreSQL of
   * `DATABASE_URL`.
   */
  database: 'embedded' | 'postgres'
  progress?: (line: string) => void
}

export interface Report {
  findings: string[]
  events: number
  resources: number
  kills: number
  seconds: number
  /** Events that were delivered and taken, over all receivers. */
  deliveries: number
  duplicates: number
  /** How many the one that was away for six days got in the end, and in how many seconds, kills included. */
  caughtUp: { events: number; seconds: number }
  receivers: Record<Name, Figures>
}

const SECOND = 1_000
const MINUTE = 60 * SECOND
const DAY = 86_400 * SECOND
/** More than the lease of a process that died. */
const AFTER_A_KILL = 25 * SECOND
const AWAY = 6 * DAY
/** So little that the process with the lease of a queue keeps it. */
const A_WHILE = 12 * SECOND
const TIMEOUT_MS = 180_000

/**
 * Sends events to five receivers while the sending processes are killed, and compares each receiver's
 * requests with the feed.
 */
export async function runWebhookProof(options: ShowOptions): Promise<Report> {
  const folder = await mkdtemp(join(tmpdir(), 'railyard-webhooks-'))
  const database = options.database === 'postgres' ? await ownDatabase() : undefined
  const simulator = launchSimulator(join(folder, 'books.jsonl'), 100)
  const receivers = await startReceivers(folder, options.seed)
  const client = createClient()
  let services: Services | undefined
  try {
    const env = {
      DATA_DIR: join(folder, 'data'),
      PORT: '0',
      SANDBOX_URL: (await simulator.ready).url,
      LOG_LEVEL: 'error',
      ...(database && { DATABASE_URL: database.url, DATABASE_POOL_SIZE: '10' }),
    }
    services = await startServices(database ? 2 : 1, folder, env, client)
    const { stop } = services
    return await tell(options, { env, services, receivers, client }).finally(stop)
  } finally {
    await client.close()
    await receivers.stop()
    await simulator.stop()
    await database?.drop()
    await rm(folder, { recursive: true, force: true })
  }
}

interface Place {
  env: Record<string, string>
  services: Services
  receivers: Receivers
  client: Client
}

async function tell(
  { events, kills, seed, progress = () => undefined }: ShowOptions,
  { env, services, receivers, client }: Place,
): Promise<Report> {
  const began = performance.now()
  const since = () => ((performance.now() - began) / SECOND).toFixed(1)
  // some of them while the receiver that was away gets all events
  const later = kills >= 3 ? Math.ceil(kills / 5) : 0
  const start = await subscribeAll(client, receivers)
  const feed = await followFeed(client, start)
  const load = startLoad(client, seed)
  const chance = seeded(seed)
  let killed = 0
  const kill = async () => {
    await services.killOne()
    await services.pass(AFTER_A_KILL)
    killed += 1
    const { well, slow, fails, hangs, down } = await receivers.accepted()
    progress(
      `${since()} s, kill ${killed}: ${feed.events.length} events; taken: ${well} well, ${slow} slow, ${fails} fails, ${hangs} hangs, ${down} down`,
    )
  }
  const days = kills - later + 1
  for (let day = 1; day <= days; day++) {
    await until(
      () => feed.readOn(),
      async () => feed.events.length >= (events * day) / days,
    )
    await load.pause()
    await services.pass(AWAY / days)
    load.resume()
    if (day === days) break
    // it strikes while payments are made and events are sent
    await wait(chance.between(100, 600))
    await kill()
  }
  await load.finish()
  await readToEnd(client, feed, 'After')
  const all = feed.events.length
  progress(`${since()} s, the load ends: ${load.requests} requests, ${all} events; six days have passed`)

  const time = () => services.pass(A_WHILE)
  await until(time, async () => {
    const { well, slow, fails } = await receivers.accepted()
    return well >= all && slow >= all && fails >= all
  })
  const { hangs, down } = await receivers.accepted()
  progress(
    `${since()} s, three receivers know everything; of the others one hangs (${hangs}) and one is down (${down})`,
  )
  const findings = [
    ...(down > 0 ? ['one that was down took something'] : []),
    ...(hangs > 0 ? ['one that hung took something'] : []),
  ]

  await receivers.behave('hangs', 'well')
  await receivers.behave('down', 'well')
  const back = performance.now()
  // the longest that a queue rests
  await services.pass(5 * MINUTE)
  for (let count = 1; count <= later; count++) {
    await until(time, async () => (await receivers.accepted()).down >= (all * count) / (later + 1))
    await kill()
  }
  await until(time, async () => {
    const { hangs, down } = await receivers.accepted()
    return hangs >= all && down >= all
  })
  const seconds = (performance.now() - back) / SECOND
  // what came twice comes now, if it does
  await services.pass(AFTER_A_KILL)
  await wait(SECOND)
  return await judge(
    { load, feed, start, findings, caughtUp: { events: all, seconds }, killed, since },
    { env, services, receivers, client },
  )
}

/**
 * Subscribes all receivers and returns the feed's position. An event has happened before, which no receiver
 * gets.
 */
async function subscribeAll(client: Client, receivers: Receivers): Promise<string> {
  await created(client, '/payment-services', mockCardService())
  await readToEnd(client, await followFeed(client, 'now'), 'Before')
  for (const name of names) {
    const { secret } = await created(client, '/webhook-subscriptions', { url: receivers.urls[name] })
    await receivers.tellSecret(name, secret)
    await receivers.behave(name, name)
  }
  return (await client.get('/events?after=now')).body.next_cursor
}

async function created(client: Client, path: string, body: object): Promise<Answer['body']> {
  const { status, text, body: answer } = await client.post(path, body)
  if (status !== 201) throw new Error(`${path} was answered ${status} ${text}`)
  return answer
}

/**
 * Does `meanwhile` again and again, until it is so; after a while it gives up, and what is missing is found
 * by the comparison.
 */
async function until(meanwhile: () => Promise<void>, isSo: () => Promise<boolean>): Promise<void> {
  const deadline = performance.now() + TIMEOUT_MS
  for (;;) {
    if (await isSo()) return
    if (performance.now() > deadline) return
    await meanwhile()
    for (let look = 0; look < 4; look++) {
      await wait(50)
      if (await isSo()) return
    }
  }
}

/**
 * Reads the feed until it has an event that happens now, and so every earlier one. Transactions that are
 * still writing hold it back, those of background jobs and of autovacuum as well.
 */
async function readToEnd(client: Client, feed: Feed, display_name: string): Promise<void> {
  const { id } = await created(client, '/buyers', { display_name })
  await until(
    () => feed.readOn(),
    async () => feed.events.some(({ target }) => target.id === id),
  )
}

interface Run extends Pick<Report, 'findings' | 'caughtUp'> {
  load: Load
  feed: Feed
  start: string
  killed: number
  since: () => string
}

async function judge(
  { load, feed, start, findings, caughtUp, killed, since }: Run,
  { env, services, receivers, client }: Place,
): Promise<Report> {
  const truth = await readFeed(client, start)
  const known = new Set(truth.map(({ target }) => target.id))
  findings.push(...load.findings, ...feedFindings(truth))
  for (const id of load.acknowledged)
    if (!known.has(id)) findings.push(`${id} was acknowledged, and the feed does not tell of it`)
  if (JSON.stringify(feed.events) !== JSON.stringify(truth))
    findings.push('who followed the feed has read another than there is')
  for (const { code, output } of await services.stop())
    if (code !== 0) findings.push(`a process stopped with code ${code}: ${output.slice(-2_000)}`)
  const verified = await runVerify(env)
  if (verified.code !== 0 || !/ 0 findings, 0 operations undecided/.test(verified.output))
    findings.push(`railyard verify: ${verified.output.trim()}`)
  const of = async (name: Name): Promise<Figures> => {
    const compared = compare(truth, await receivers.arrivals(name))
    findings.push(...compared.findings.map((finding) => `${name}: ${finding}`))
    return compared.figures
  }
  const figures = {
    well: await of('well'),
    slow: await of('slow'),
    fails: await of('fails'),
    hangs: await of('hangs'),
    down: await of('down'),
  }
  const sum = (pick: (of: Figures) => number) => names.reduce((total, name) => total + pick(figures[name]), 0)
  return {
    findings,
    events: truth.length,
    resources: known.size,
    kills: killed,
    seconds: Number(since()),
    deliveries: sum(({ accepted }) => accepted),
    duplicates: sum((each) => each.duplicates),
    caughtUp: { ...caughtUp, seconds: Number(caughtUp.seconds.toFixed(1)) },
    receivers: figures,
  }
}
