import { type Instance, startInstance } from '../instance.ts'
import type { Generator, Load } from '../load.ts'
import type { Engine, Options } from '../options.ts'
import { measureLoad } from '../pay/measure.ts'
import { headersOf, payment, payments } from '../pay/payment.ts'
import { queryOn } from '../postgres.ts'
import { type Goal, number, spread, table } from '../report.ts'
import { type Contender, failures, interleave, over, type Results, ratio } from '../rounds.ts'
import { type Figure, figure } from '../statistics.ts'

const CONNECTIONS = 32
/** As many cards as a busy minute has: enough that two payments at a time seldom use the same one. */
const METHODS = 500

const names = {
  raw: `card in full @ ${CONNECTIONS}`,
  stored: `stored card @ ${CONNECTIONS}`,
  owned: `stored card of a buyer @ ${CONNECTIONS}`,
  hot: `one stored card @ ${CONNECTIONS}`,
  storing: `card in full, store @ ${CONNECTIONS}`,
}

const { security_code: securityCode, ...cardToStore } = payment.payment_method
const { buyer: guest, ...order } = payment

/**
 * Payments with stored cards and payments that store theirs, held against payments with the same card in
 * full.
 */
export async function measureStoredCards(
  engine: Engine,
  generator: Generator,
  options: Options,
): Promise<{ goals: Goal[]; problems: string[] }> {
  const instance = await startInstance(engine)
  const unowned = await storeMany(instance, METHODS)
  const owned = await storeMany(instance, METHODS, await newBuyer(instance))
  const byId = (id: string) => ({
    ...payment,
    payment_method: { method: 'id', id, security_code: securityCode },
  })
  const contender = (name: string, bodies: object[]): Contender => ({
    name,
    measure: (seconds) => measureLoad(generator, load(instance, bodies, seconds), instance.cpuMs),
  })
  await settleDown(engine, instance, generator, [...unowned, ...owned].map(byId))
  const everyTime = (body: object) => unowned.map(() => body)
  const results = await interleave(
    [
      contender(names.raw, everyTime(payment)),
      contender(names.stored, unowned.map(byId)),
      contender(
        names.owned,
        owned.map((id) => ({ ...order, payment_method: { method: 'id', id, security_code: securityCode } })),
      ),
      contender(names.hot, everyTime(byId(unowned[0] ?? ''))),
      contender(names.storing, everyTime({ ...payment, store: true })),
    ],
    options,
  )
  const problems = [...(await instance.closeAndAudit()), ...failures(results)]
  print(engine, results)
  return { goals: goalsOf(engine, results), problems }
}

/** All of them send as many bodies in turn, so that the generator has the same work with each. */
const load = (instance: Instance, bodies: object[], seconds: number): Load => ({
  ...payments(instance),
  bodies: bodies.map((body) => JSON.stringify(body)),
  connections: CONNECTIONS,
  until: { seconds },
})

/**
 * Every card pays once. Then PostgreSQL analyzes, as it does by itself a minute later: statements that were
 * prepared while the tables were empty walk an account's payments until it has, and the service that is
 * measured first would pay for that.
 */
async function settleDown(
  engine: Engine,
  instance: Instance,
  generator: Generator,
  bodies: object[],
): Promise<void> {
  await generator.ask({ ...load(instance, bodies, 0), until: { requests: bodies.length } })
  if (engine === 'postgres') await queryOn(instance.place.env['DATABASE_URL'] ?? '', 'analyze')
}

async function newBuyer(instance: Instance): Promise<string> {
  const { display_name, billing_details } = guest
  return create(instance, '/buyers', { display_name, billing_details })
}

async function storeMany(instance: Instance, count: number, buyer?: string): Promise<string[]> {
  const ids: string[] = []
  while (ids.length < count)
    ids.push(
      await create(instance, '/payment-methods', { ...cardToStore, ...(buyer && { buyer_id: buyer }) }),
    )
  return ids
}

async function create(instance: Instance, path: string, body: object): Promise<string> {
  const answer = await fetch(`${instance.url}${path}`, {
    method: 'POST',
    headers: headersOf(instance),
    body: JSON.stringify(body),
  })
  if (answer.status !== 201)
    throw new Error(`POST ${path} was answered ${answer.status}: ${await answer.text()}`)
  const { id } = (await answer.json()) as { id: string }
  return id
}

function print(engine: Engine, results: Results): void {
  const rows = Object.values(names).map((name) => {
    const of = (pick: Parameters<typeof over>[2]) => over(results, name, pick)
    return [
      name,
      spread(of(({ rate }) => rate)),
      ...[of(({ p50 }) => p50), of(({ p99 }) => p99), of(({ cpuMs }) => cpuMs)].map(({ median }) =>
        number(median),
      ),
      name === names.raw ? '–' : spread(ratio(results, name, names.raw)),
    ]
  })
  console.log(`\n### Stored cards, ${engine}\n`)
  console.log(table(['', 'per second', 'p50 ms', 'p99 ms', 'CPU-ms each', '÷ card in full'], rows))
}

function goalsOf(engine: Engine, results: Results): Goal[] {
  const goal = (what: string, name: string, gate?: number): Goal => ({
    name: `${what} ÷ card in full, ${engine}`,
    figure: ratio(results, name, names.raw),
    unit: '',
    better: 'higher',
    ...(gate !== undefined && { gate }),
  })
  return [
    goal('stored card', names.stored, 0.9),
    goal('stored card of a buyer', names.owned),
    goal('one stored card', names.hot),
    goal('card that is stored with its payment', names.storing),
    {
      name: `CPU of a stored card’s payment ÷ card in full, ${engine}`,
      figure: cpuRatio(results, names.stored),
      unit: '',
      better: 'lower',
    },
  ]
}

/** On a shared machine this moves less than the rates do. */
function cpuRatio(results: Results, name: string): Figure {
  const full = results.get(names.raw) ?? []
  return figure(
    (results.get(name) ?? []).map(
      ({ cpuMs }, round) => (cpuMs ?? Number.NaN) / (full[round]?.cpuMs ?? Number.NaN),
    ),
  )
}
