import { type Instance, startInstance } from '../instance.ts'
import type { Generator } from '../load.ts'
import type { Engine, Options } from '../options.ts'
import { measureLoad } from '../pay/measure.ts'
import { headersOf, payment, payments } from '../pay/payment.ts'
import { type Goal, number, spread, table } from '../report.ts'
import { type Contender, failures, interleave, over, ratio } from '../rounds.ts'

const CONNECTIONS = 32
const MERCHANTS = 64

const names = {
  spread: `${MERCHANTS} merchants, a buyer each`,
  merchant: `one merchant, ${MERCHANTS} buyers`,
  buyer: 'one merchant, one buyer',
}

/** Compares payments of one merchant, or of one buyer, with the same payments of many. */
export async function measureHotspot(
  engine: Engine,
  generator: Generator,
  options: Options,
): Promise<{ goals: Goal[]; problems: string[] }> {
  const instance = await startInstance(engine)
  const accounts = await Promise.all(
    Array.from({ length: MERCHANTS }, (_, index) => newMerchant(instance, `merchant-${index}`)),
  )
  const buyers = await Promise.all(accounts.map((account) => newBuyer(instance, account)))
  const [one = ''] = accounts
  const ofOne = await Promise.all(accounts.map(() => newBuyer(instance, one)))
  const everyTime = (value: string | undefined) => accounts.map(() => value ?? '')
  const contender = (name: string, turns: readonly string[], payers: readonly string[]): Contender => ({
    name,
    measure: (seconds) =>
      measureLoad(
        generator,
        {
          ...payments(instance),
          accounts: [...turns],
          bodies: payers.map(bodyOf),
          connections: CONNECTIONS,
          until: { seconds },
        },
        instance.cpuMs,
      ),
  })
  const results = await interleave(
    [
      contender(names.spread, accounts, buyers),
      contender(names.merchant, everyTime(one), ofOne),
      contender(names.buyer, everyTime(one), everyTime(ofOne[0])),
    ],
    options,
  )
  const problems = [...(await instance.closeAndAudit()), ...failures(results)]
  const rows = Object.values(names).map((name) => [
    name,
    spread(over(results, name, ({ rate }) => rate)),
    ...[
      over(results, name, ({ p50 }) => p50),
      over(results, name, ({ p99 }) => p99),
      over(results, name, ({ cpuMs }) => cpuMs),
    ].map(({ median }) => number(median)),
    name === names.spread ? '–' : spread(ratio(results, name, names.spread)),
  ])
  console.log(`\n### One merchant, one buyer, ${engine}\n`)
  console.log(table(['', 'per second', 'p50 ms', 'p99 ms', 'CPU-ms each', '÷ spread'], rows))
  const goal = (what: string, name: string): Goal => ({
    name: `P16 ${what} ÷ spread, ${engine}`,
    figure: ratio(results, name, names.spread),
    unit: '',
    better: 'higher',
    gate: 0.8,
    aim: 0.95,
  })
  return { goals: [goal('one merchant', names.merchant), goal('one buyer', names.buyer)], problems }
}

const mockCard = {
  display_name: 'Mock card',
  payment_service_definition_id: 'mock-card',
  fields: [{ key: 'merchant_id', value: 'bench' }],
  accepted_currencies: ['USD'],
  accepted_countries: ['US'],
}

const { buyer: _guest, ...order } = payment
const bodyOf = (buyer: string) => JSON.stringify({ ...order, buyer_id: buyer })

async function create(instance: Instance, path: string, body: object, account = 'default'): Promise<string> {
  const headers = { ...headersOf(instance), 'x-svc-merchant-account-id': account }
  const answer = await fetch(`${instance.url}${path}`, {
    method: 'POST',
    headers,
    body: JSON.stringify(body),
  })
  if (answer.status !== 201)
    throw new Error(`POST ${path} was answered ${answer.status}: ${await answer.text()}`)
  const { id } = (await answer.json()) as { id: string }
  return id
}

async function newMerchant(instance: Instance, id: string): Promise<string> {
  await create(instance, '/merchant-accounts', { id, display_name: id })
  await create(instance, '/payment-services', mockCard, id)
  return id
}

const newBuyer = (instance: Instance, account: string) =>
  create(
    instance,
    '/buyers',
    { display_name: 'Ada Lovelace', billing_details: payment.buyer.billing_details },
    account,
  )
