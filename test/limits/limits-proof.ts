import { randomUUID } from 'node:crypto'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as wait } from 'node:timers/promises'
import { readSigner, signToken } from '../../src/accounts/api-keys/private-key.ts'
import { roleBySlug } from '../../src/accounts/roles/role.ts'
import type { LimitedOperation } from '../../src/spending-limits/spending-limit.schema.ts'
import { type Books, readBooks } from '../crash/books.ts'
import { type Chance, seeded } from '../crash/chance.ts'
import { type Client, createClient, isAcknowledged, type Sent } from '../crash/client.ts'
import { freePort, freshToken } from '../crash/crashes.ts'
import { setFaults } from '../crash/faults.ts'
import { launchRailyard, launchSimulator, type Running, runVerify, underLoad } from '../crash/process.ts'
import { type InstanceTables, readTables } from '../crash/read-tables.ts'
import { payoutOf } from '../support/domains/payouts.ts'
import { mockCardService, ownDatabase } from '../support/railyard.ts'
import { sendSomeTwice } from './send-twice.ts'

export interface LimitsProof {
  operations: number
  kills: number
  seed: number
  /** The embedded database, or a new one on the PostgreSQL of `DATABASE_URL`. */
  database: 'embedded' | 'postgres'
  progress?: (line: string) => void
}

export interface LimitsFigures {
  findings: string[]
  kills: number
  /** Requests by their answers. */
  answers: Record<string, number>
  /** Requests that were sent again, because their process was killed or did not answer. */
  repeated: number
  /** What took effect at the payment service, by operation. */
  effects: Record<string, { amount: number; count: number; limit: Limit }>
  seconds: number
}

type Limit = Partial<Record<'per_day' | 'per_buyer_per_day' | 'count_per_day', number>>

const WORKERS = 64
const CURRENCY = 'USD'
const DAY_MS = 86_400_000
const DECIDED_WITHIN_MS = 180_000
/** The payment service declines refunds of the first amount, and the second one fails there. */
const refusedRefunds = [520_002, 520_001] as const

/** Limits that part of the operations fit into. A payment is captured a few times at most, so theirs is fixed. */
const limitsFor = (operations: number): Record<LimitedOperation, Limit> => ({
  refund: { per_day: operations * 50_000, per_buyer_per_day: operations * 20_000 },
  payout: { count_per_day: Math.ceil(operations * 0.05) },
  capture: { per_day: 2_000_000 },
  void: { count_per_day: Math.ceil(operations * 0.02) },
})

interface Payments {
  /** With their buyers; null: without one. */
  sold: { id: string; paymentId: string; buyer: string | null }[]
  authorized: string[]
  toVoid: string[]
  paymentService: string
}

/**
 * One key pair sends operations around its limits, while processes are killed and the payment service loses
 * answers. What has taken effect in the payment service's books must be within the limits, once for each key.
 */
export async function runLimitsProof({
  operations,
  kills,
  seed,
  database: kind,
  progress = () => undefined,
}: LimitsProof): Promise<LimitsFigures> {
  const began = Date.now()
  const folder = await mkdtemp(join(tmpdir(), 'railyard-limits-'))
  const database = kind === 'postgres' ? await ownDatabase() : undefined
  const booksFile = join(folder, 'books.jsonl')
  const simulator = launchSimulator(booksFile, 1_500)
  const [merchant, agent] = [createClient(), createClient()]
  let running: Running | undefined
  try {
    const { url: sandboxUrl } = await simulator.ready
    const env = {
      RAILYARD_ENV: 'sandbox',
      DATA_DIR: join(folder, 'data'),
      PORT: String(await freePort()),
      SANDBOX_URL: sandboxUrl,
      ...underLoad,
      ...(database && { DATABASE_URL: database.url }),
    }
    const chance = seeded(seed)
    running = launchRailyard(env)
    const { url } = await running.ready
    merchant.reach(url, await freshToken(env))
    const payments = await makePayments(merchant, operations)
    const limits = limitsFor(operations)
    const { token, ids } = await makeAgent(merchant, limits)
    agent.reach(url, token)
    progress(`${payments.sold.length + payments.authorized.length + payments.toVoid.length} payments made`)
    await setFaults(sandboxUrl, chance, true)

    let killed = 0
    const load = startLoad(agent, payments, operations, seed)
    for (let kill = 1; kill <= kills; kill++) {
      await load.reaches(Math.round((operations * kill) / (kills + 1)))
      running.kill()
      killed += 1
      const inFlight = agent.inFlight.size
      await running.ended
      await setFaults(sandboxUrl, chance, true)
      running = launchRailyard(env)
      const { ms } = await running.ready
      progress(`kill ${kill}: ${inFlight} in flight, ready after ${ms} ms`)
    }
    await load.reaches(operations)
    await setFaults(sandboxUrl, chance, false)
    await load.done
    progress('all operations are answered')

    const used = () => readUsage(merchant, ids)
    const books = await untilDecided(used, () => readBooks(sandboxUrl, booksFile))
    const days = 1 + Math.floor(Date.now() / DAY_MS) - Math.floor(began / DAY_MS)
    const findings = [
      ...withinLimits(books, limits, payments, days),
      ...differencesFrom(await used(), books),
      ...unexpectedAnswers(agent.log),
    ]
    await running.stop()
    findings.push(...oncePerKey(agent.log, books, await readTables(env)))
    const verified = await runVerify(env)
    if (verified.code !== 0) findings.push(`railyard verify: ${verified.output.trim()}`)
    return {
      findings,
      kills: killed,
      answers: countBy(agent.log, ({ answer }) => `${answer?.status} ${answer?.body?.code ?? ''}`.trim()),
      repeated: agent.log.filter(({ tries }) => tries > 1).length,
      effects: Object.fromEntries(
        kinds.map((operation) => [
          operation,
          { ...sumOf(effects(books, operation)), limit: limits[operation] },
        ]),
      ),
      seconds: Math.round((Date.now() - began) / 1_000),
    }
  } finally {
    running?.kill()
    await running?.ended
    await Promise.all([merchant.close(), agent.close()])
    await simulator.stop()
    await database?.drop()
    await rm(folder, { recursive: true, force: true })
  }
}

const kinds = ['refund', 'payout', 'capture', 'void'] as const

async function created(client: Client, path: string, body: object) {
  const answer = await client.post(path, body)
  if (answer.status > 201) throw new Error(`${path} was answered ${answer.text}`)
  return answer.body
}

const card = { method: 'card', number: '4111111111111111', expiration_date: '12/35', security_code: '123' }

async function makePayments(merchant: Client, operations: number): Promise<Payments> {
  const service = mockCardService({ display_name: 'Limits', accepted_currencies: [CURRENCY] })
  const { id: paymentService } = await created(merchant, '/payment-services', service)
  const pay = (amount: number, more: object) =>
    created(merchant, '/transactions', {
      amount,
      currency: CURRENCY,
      country: 'US',
      payment_method: card,
      payment_service_id: paymentService,
      ...more,
    })
  const buyers: string[] = []
  for (let count = 0; count < 3; count++) buyers.push((await created(merchant, '/buyers', {})).id)
  const sold: Payments['sold'] = []
  for (let count = 0; count < 24; count++) {
    // every second one is of the first buyer, whose limit is reached first
    const buyer = count % 2 === 0 ? buyers[0] : [buyers[1], buyers[2], null][(count - 1) % 3]
    const { id, payment_service_transaction_id: paymentId } = await pay(90_000_000, {
      intent: 'capture',
      ...(buyer && { buyer_id: buyer }),
    })
    sold.push({ id, paymentId, buyer: buyer ?? null })
  }
  const authorized: string[] = []
  for (let count = 0; count < 12; count++)
    authorized.push((await pay(90_000_000, { intent: 'authorize' })).id)
  const toVoid: string[] = []
  for (let count = 0; count < Math.ceil(operations * 0.04); count++)
    toVoid.push((await pay(20_000 + count, { intent: 'authorize' })).id)
  return { sold, authorized, toVoid, paymentService }
}

/** A key pair with a limit of each operation. */
async function makeAgent(
  merchant: Client,
  limits: Record<LimitedOperation, Limit>,
): Promise<{ token: string; ids: Record<LimitedOperation, string> }> {
  const pair = await created(merchant, '/api-key-pairs', {
    display_name: 'Agent',
    role_ids: [roleBySlug('administrator')?.id],
  })
  const limit = async (operation: LimitedOperation): Promise<string> => {
    const subject = { type: 'api-key-pair', id: pair.id }
    const body = { subject, operation, currency: CURRENCY, ...limits[operation] }
    return (await created(merchant, '/spending-limits', body)).id
  }
  const signer = await readSigner(pair.private_key)
  const scopes = ['*.read', '*.write']
  return {
    token: await signToken(signer, { scopes, expiresIn: 3_600 }, Date.now()),
    ids: {
      refund: await limit('refund'),
      payout: await limit('payout'),
      capture: await limit('capture'),
      void: await limit('void'),
    },
  }
}

function nextOperation(chance: Chance, { sold, authorized, toVoid, paymentService }: Payments): Sent {
  const sent = (action: Sent['action'], path: string, body: Record<string, unknown>, id?: string): Sent => ({
    action,
    path,
    body,
    key: randomUUID(),
    mark: '',
    transactionId: id,
    tries: 0,
    answer: undefined,
  })
  const amount = chance.between(100_000, 300_000)
  const kind = chance.between(1, 100)
  if (kind <= 60) {
    const { id } = chance.pick(sold)
    const refunded = chance.odds(0.05) ? chance.pick(refusedRefunds) : amount
    return sent('refund', `/transactions/${id}/refunds`, { amount: refunded }, id)
  }
  if (kind <= 75) return sent('payout', '/payouts', payoutOf(paymentService, { currency: CURRENCY }))
  const id = chance.pick(kind <= 90 ? authorized : toVoid)
  return kind <= 90
    ? sent('capture', `/transactions/${id}/capture`, { amount, final: false }, id)
    : sent('void', `/transactions/${id}/void`, {}, id)
}

interface Load {
  /** Resolves once so many operations are begun. */
  reaches(count: number): Promise<void>
  done: Promise<void>
}

/** Sends the operations, many at a time; each until it is answered, and one in ten twice at once. */
function startLoad(agent: Client, payments: Payments, operations: number, seed: number): Load {
  let begun = 0
  const awaited: { count: number; resolve: () => void }[] = []
  const work = async (worker: number) => {
    const chance = seeded(seed, worker + 1)
    while (begun < operations) {
      begun += 1
      for (const { count, resolve } of awaited) if (begun >= count) resolve()
      const sent = nextOperation(chance, payments)
      await sendSomeTwice(agent, sent, chance)
      while (!sent.answer) if (!(await agent.send(sent))) await wait(chance.between(50, 250))
    }
  }
  return {
    reaches(count) {
      const { promise, resolve } = Promise.withResolvers<void>()
      awaited.push({ count, resolve })
      if (begun >= count) resolve()
      return promise
    },
    done: Promise.all(Array.from({ length: WORKERS }, (_, worker) => work(worker))).then(() => undefined),
  }
}

interface Usage {
  amount: number
  count: number
}

async function readUsage(
  merchant: Client,
  ids: Record<LimitedOperation, string>,
): Promise<Record<LimitedOperation, Usage>> {
  const usage = async (id: string): Promise<Usage> => {
    const { used, count } = (await merchant.get(`/spending-limits/${id}`)).body.today
    return { amount: used, count }
  }
  return {
    refund: await usage(ids.refund),
    payout: await usage(ids.payout),
    capture: await usage(ids.capture),
    void: await usage(ids.void),
  }
}

/** The approved operations of a kind in the books. */
const effects = ({ operations }: Books, kind: LimitedOperation) =>
  [...operations.values()].filter((each) => each.kind === kind && each.status === 'approved')

const sumOf = (list: readonly { amount: number }[]): Usage => ({
  amount: list.reduce((total, { amount }) => total + amount, 0),
  count: list.length,
})

/** Waits until recovery has decided every operation: what has failed has given its reservation back. */
async function untilDecided(
  used: () => Promise<Record<LimitedOperation, Usage>>,
  read: () => Promise<Books>,
): Promise<Books> {
  for (const deadline = Date.now() + DECIDED_WITHIN_MS; ; await wait(500)) {
    const books = await read()
    if (differencesFrom(await used(), books).length === 0 || Date.now() > deadline) return books
  }
}

/** Where what counts of a limit is not what took effect. Voids count what they release. */
const differencesFrom = (usage: Record<LimitedOperation, Usage>, books: Books): string[] =>
  kinds.flatMap((kind) => {
    const [counted, effect] = [usage[kind], sumOf(effects(books, kind))]
    const isEqual = counted.count === effect.count && (kind === 'void' || counted.amount === effect.amount)
    return isEqual ? [] : `${kind}: ${JSON.stringify(counted)} counts, ${JSON.stringify(effect)} took effect`
  })

function withinLimits(
  books: Books,
  limits: Record<LimitedOperation, Limit>,
  { sold }: Payments,
  days: number,
): string[] {
  const exceeded = (name: string, value: number, limit = Number.POSITIVE_INFINITY) =>
    value <= limit * days ? [] : [`${name}: ${value} took effect, the limit of a day is ${limit}`]
  const ofDay = kinds.flatMap((kind) => {
    const { amount, count } = sumOf(effects(books, kind))
    const { per_day, count_per_day } = limits[kind]
    return [
      ...exceeded(`${kind}, amount`, amount, per_day),
      ...exceeded(`${kind}, count`, count, count_per_day),
    ]
  })
  return [
    ...ofDay,
    ...refundsByBuyer(books, sold).flatMap(({ buyer, amount }) =>
      exceeded(`refunds of buyer ${buyer}`, amount, limits.refund.per_buyer_per_day),
    ),
  ]
}

function refundsByBuyer(books: Books, sold: Payments['sold']): { buyer: string | null; amount: number }[] {
  const buyers = new Map(sold.map(({ paymentId, buyer }) => [paymentId, buyer]))
  const refunds = Map.groupBy(effects(books, 'refund'), (each) => buyers.get(each.payment_id) ?? null)
  return Array.from(refunds, ([buyer, list]) => ({ buyer, amount: sumOf(list).amount }))
}

/** Where an operation took effect that was not accepted, or is not the only one with its key. */
function oncePerKey(log: readonly Sent[], books: Books, { operations }: InstanceTables): string[] {
  const unused = new Map(log.map((sent) => [sent.key, sent]))
  const keyOf = (id: string) => operations.get(id)?.idempotency_key ?? undefined
  return kinds
    .flatMap((kind) => effects(books, kind))
    .flatMap(({ kind, key: id }) => {
      const key = keyOf(id)
      const sent = unused.get(key)
      unused.delete(key)
      if (!sent) return [`${kind} ${id} took effect without a key of its own: ${key}`]
      const { tries, answer } = sent
      return isAcknowledged(sent)
        ? []
        : [`${kind} ${id} took effect; its key was sent ${tries} times, and answered ${answer?.text}`]
    })
}

/** 400 and 425: the authorization has ended, or another operation on it is not decided yet. */
const expected = (sent: Sent) =>
  isAcknowledged(sent) ||
  sent.answer?.body?.code === 'spending_limit_exceeded' ||
  [400, 409, 425].includes(sent.answer?.status ?? 0)

const unexpectedAnswers = (log: readonly Sent[]): string[] =>
  log
    .filter((sent) => !expected(sent))
    .map(({ action, answer }) => `${action} was answered ${answer?.status} ${answer?.text}`)

function countBy<T>(list: readonly T[], keyOf: (item: T) => string): Record<string, number> {
  const groups = Map.groupBy(list, keyOf)
  return Object.fromEntries(Array.from(groups, ([key, items]) => [key, items.length]))
}
