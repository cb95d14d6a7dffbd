import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { isOpen, type OperationRow } from '../../src/operations/operation.ts'
import type { FaultItem, RequestFault } from '../../src/sandbox/faults/fault.schema.ts'
import { type Answer, card } from '../support/railyard.ts'
import { endings } from './check-ending.ts'
import { violations } from './invariants.ts'
import type { NetworkFault } from './network.ts'
import { snapshot } from './snapshot.ts'
import { type Merchant, openMerchant, openStage, type Stage } from './stage.ts'

let stage: Stage
/** The milliseconds of the virtual clock from the end of the fault to the recorded outcome. */
const took: number[] = []

beforeAll(async () => {
  stage = await openStage()
})
afterAll(async () => {
  await stage.close()
})

/** The limits for finding an outcome. */
const P99_MS = 30_000
const MAX_MS = 300_000
const TICK_MS = 1_000

interface Act {
  operation: Exclude<FaultItem['operation'], '*'>
  /** Prepares the request and returns its path and body; `pending`: the payment service leaves it pending. */
  prepare: (merchant: Merchant, pending: boolean) => Promise<[path: string, body?: object]>
}

const LARGE = 1_500_000
const { security_code: _, ...withoutCode } = card

const payment = (amount: number, intent: 'authorize' | 'capture') => ({
  amount,
  currency: 'EUR',
  country: 'DE',
  intent,
  payment_method: card,
})

async function paid(merchant: Merchant, amount: number, intent: 'authorize' | 'capture'): Promise<string> {
  const { status, body } = await merchant.post('/transactions', payment(amount, intent))
  expect(status).toBe(201)
  return `/transactions/${body.id}`
}

const acts: Act[] = [
  {
    operation: 'authorize',
    prepare: async (_merchant, pending) => ['/transactions', payment(pending ? 540_001 : 30_00, 'authorize')],
  },
  {
    operation: 'sale',
    prepare: async (_merchant, pending) => ['/transactions', payment(pending ? 540_001 : 30_00, 'capture')],
  },
  {
    operation: 'capture',
    prepare: async (merchant, pending) => [
      `${await paid(merchant, LARGE, 'authorize')}/capture`,
      { amount: pending ? 500_003 : 20_00 },
    ],
  },
  {
    operation: 'void',
    prepare: async (merchant, pending) => [
      `${await paid(merchant, pending ? 510_003 : 30_00, 'authorize')}/void`,
    ],
  },
  {
    operation: 'refund',
    prepare: async (merchant, pending) => [
      `${await paid(merchant, LARGE, 'capture')}/refunds`,
      { amount: pending ? 520_005 : 10_00 },
    ],
  },
  {
    operation: 'increment',
    prepare: async (merchant, pending) => [
      `${await paid(merchant, LARGE, 'authorize')}/authorization/increment`,
      { amount: pending ? 550_001 : 5_00 },
    ],
  },
  // an authorization that the payment service left pending
  {
    operation: 'cancel',
    prepare: async (merchant) => [`${await paid(merchant, 540_001, 'authorize')}/cancel`],
  },
  {
    operation: 'payout',
    prepare: async (merchant, pending) => [
      '/payouts',
      {
        amount: pending ? 530_003 : 30_00,
        currency: 'EUR',
        payment_service_id: merchant.card,
        payment_method: withoutCode,
        buyer: {},
      },
    ],
  },
]

/** One fault of a request or of its notification. */
type Strike =
  | { network: NetworkFault }
  | { provider: RequestFault }
  | { notification: 'twice' | 'out of order' }

/** The 14 classes of faults. A class with two possible moments has both. */
const classes: readonly (readonly [string, readonly Strike[]])[] = [
  ['connection refused', [{ network: 'connect refused' }]],
  ['connection timed out', [{ network: 'connect timeout' }]],
  ['time-out before processing', [{ network: 'timeout before' }]],
  ['time-out after processing', [{ network: 'timeout after' }]],
  ['reset before and after', [{ provider: 'reset' }, { provider: 'lost' }]],
  ['5xx before and after', [{ provider: 'error' }, { provider: 'error_after' }]],
  ['429', [{ provider: 'rate_limit' }]],
  ['200 malformed', [{ provider: 'malformed' }]],
  ['200 empty', [{ provider: 'empty' }]],
  ['truncated', [{ provider: 'truncated' }]],
  ['slow loris', [{ network: 'slow loris' }]],
  ['wrong id and wrong amount', [{ provider: 'wrong_id' }, { provider: 'wrong_amount' }]],
  ['duplicate notification', [{ notification: 'twice' }]],
  ['notification out of order', [{ notification: 'out of order' }]],
]

const cells = classes.flatMap(([name, strikes]) =>
  [false, true].map((dies) => ({ name, strikes, dies, and: dies ? 'a death' : 'no death' })),
)

test('the matrix has 8 operations, 14 classes of faults, and each with and without a death', () => {
  expect(acts.length * cells.length).toBe(224)
})

async function setFaults(...items: FaultItem[]): Promise<void> {
  const answer = await fetch(`${stage.railyard.simulatorUrl}/faults`, {
    method: 'PUT',
    body: JSON.stringify({ items, seed: 1 }),
  })
  expect(answer.status).toBe(200)
}

const lastOperation = async ({ account }: Merchant) => {
  const [last] = await stage.railyard.world.run<{ row: OperationRow }>(
    'select row_to_json(o) as row from operations o where merchant_account_id = $1 order by id desc limit 1',
    [account],
  )
  return last?.row ?? expect.fail('nothing was intended')
}

const tell = async ({ cardWebhook }: Merchant, key: string): Promise<void> => {
  const headers = { 'content-type': 'application/json' }
  await (await fetch(cardWebhook, { method: 'POST', headers, body: JSON.stringify({ key }) })).text()
}

type Request = () => Promise<Answer>

/** Sends the request under the fault; its process may die before it records the outcome. */
async function actUnderFault(
  { operation }: Act,
  strike: Exclude<Strike, { notification: string }>,
  dies: boolean,
  request: Request,
): Promise<void> {
  stage.network.takeStruck()
  stage.points.disarm()
  if ('network' in strike) stage.network.strike(strike.network, 1, 0)
  else
    await setFaults({
      operation,
      kind: strike.provider,
      times: 1,
      ...(strike.provider === 'rate_limit' && { per_second: 0 }),
    })
  if (dies) stage.points.dieAt('before record')
  const { status } = await request()
  expect(stage.points.disarm()).toBe(dies)
  stage.points.revive()
  expect(status).toBeLessThan(dies ? 501 : 300)
  if ('network' in strike) expect(stage.network.takeStruck()).toEqual([strike.network])
}

/** Sends the notification twice; the process that gets the first may die. */
async function notifyTwice(merchant: Merchant, dies: boolean, request: Request): Promise<void> {
  expect((await request()).status).toBeLessThan(300)
  const { id } = await lastOperation(merchant)
  if (dies) stage.points.dieAt('before record')
  await tell(merchant, id)
  stage.points.disarm()
  stage.points.revive()
  await tell(merchant, id)
  await tell(merchant, id)
}

/** Sends the notification before the answer, and an earlier one afterwards. */
async function toldOutOfOrder(merchant: Merchant, dies: boolean, request: Request): Promise<void> {
  const { work: answer } = await stage.points.hold('after send', request)
  const { id, transaction_id } = await lastOperation(merchant)
  await tell(merchant, id)
  if (dies) stage.points.revive()
  else stage.points.goOn()
  expect((await answer).status).toBeLessThan(dies ? 501 : 300)
  const earlier = await stage.railyard.world.run<{ id: string }>(
    'select id from operations where merchant_account_id = $1 and transaction_id = $2 order by id',
    [merchant.account, transaction_id],
  )
  for (const operation of earlier.toReversed()) await tell(merchant, operation.id)
}

/** Reads only these operations: a snapshot reads the books too, with the payments of all cells before. */
const operationsOf = ({ account }: Merchant) =>
  stage.railyard.world.run<Pick<OperationRow, 'kind' | 'status' | 'transaction_id'>>(
    'select kind, status, transaction_id from operations where merchant_account_id = $1',
    [account],
  )

/** Ends the faults and runs recovery every second until every outcome is known. */
async function untilKnown(merchant: Merchant): Promise<number> {
  await setFaults()
  stage.network.mend()
  for (let passed = 0; passed <= MAX_MS; passed += TICK_MS) {
    await stage.recover()
    if (!(await operationsOf(merchant)).some(({ status }) => isOpen(status) && status !== 'pending'))
      return passed
    stage.clock.advance(TICK_MS)
  }
  return expect.fail('it is not known after five minutes')
}

/** Syncs payments that the payment service left pending; recovery finds payouts. */
async function untilFinal(merchant: Merchant): Promise<void> {
  for (let times = 0; times < 3; times++) {
    const pending = (await operationsOf(merchant)).filter(({ status }) => status === 'pending')
    if (pending.length === 0) return
    for (const { kind, transaction_id } of pending)
      if (kind !== 'payout') await merchant.post(`/transactions/${transaction_id}/sync`)
    if (pending.some(({ kind }) => kind === 'payout')) stage.clock.advance(700_000)
    await stage.recover()
  }
}

describe.each(acts)('$operation', (act) => {
  let merchant: Merchant
  beforeAll(async () => {
    merchant = await openMerchant(stage.railyard)
  })

  test.each(cells)(
    '$name, $and: the outcome is found, no operation fails that moved money, and no second key is used',
    async ({ strikes, dies }) => {
      for (const strike of strikes) {
        const isNotification = 'notification' in strike
        const [path, body] = await act.prepare(merchant, isNotification)
        const request = () => merchant.post(path, body)
        if (!isNotification) await actUnderFault(act, strike, dies, request)
        else if (strike.notification === 'twice') await notifyTwice(merchant, dies, request)
        else await toldOutOfOrder(merchant, dies, request)
        expect(violations(await snapshot(stage, merchant), new Map())).toEqual([])
        took.push(await untilKnown(merchant))
      }
      await untilFinal(merchant)
      const now = await snapshot(stage, merchant)
      expect(violations(now, new Map())).toEqual([])
      const found = Object.entries(endings.books).flatMap(([name, check]) =>
        check(now).map((text) => `${name}: ${text}`),
      )
      expect(found).toEqual([])
    },
  )
})

const sentAgain = acts.filter(({ operation }) =>
  ['capture', 'void', 'refund', 'increment'].includes(operation),
)

test.each(sentAgain)(
  '$operation: a stalled request that was rejected unprocessed does not decide an operation that was sent again',
  async (act) => {
    const merchant = await openMerchant(stage.railyard)
    const [path, body] = await act.prepare(merchant, true)
    stage.network.strike('connect refused', 1, 0)
    const { work: answer } = await stage.points.hold('before record', () => merchant.post(path, body))
    await untilKnown(merchant)
    expect(await operationsOf(merchant)).toContainEqual(
      expect.objectContaining({ kind: act.operation, status: 'pending' }),
    )
    stage.points.goOn()
    expect((await answer).status).toBeLessThan(300)
    expect(violations(await snapshot(stage, merchant), new Map())).toEqual([])
    await untilFinal(merchant)
    expect(violations(await snapshot(stage, merchant), new Map())).toEqual([])
  },
)

test.each(acts)(
  '$operation: a stalled request that was rejected unprocessed, like recovery’s, gets the same answer again',
  async (act) => {
    const merchant = await openMerchant(stage.railyard)
    const [path, body] = await act.prepare(merchant, false)
    const request = () => merchant.post(path, body, { 'idempotency-key': act.operation })
    stage.network.strike('connect refused', 2, 0)
    const { work: answer } = await stage.points.hold('before record', request)
    stage.clock.advance(stage.railyard.world.settings.providerTimeout * 2)
    expect(await stage.recover()).toBe(1)
    stage.points.goOn()
    const { status, body: said } = await answer
    await untilKnown(merchant)
    expect(await request()).toMatchObject({ status, body: said })
    expect(violations(await snapshot(stage, merchant), new Map())).toEqual([])
  },
)

test('99 % of outcomes are known within 30 seconds of the virtual clock, and all within 5 minutes', () => {
  const sorted = took.toSorted((a, b) => a - b)
  expect(sorted.length).toBe(acts.length * 2 * 17)
  const figures = {
    p50: sorted[Math.floor(sorted.length / 2)],
    p99: sorted[Math.ceil(sorted.length * 0.99) - 1],
    max: sorted.at(-1),
  }
  console.log(`seconds until the truth was known: ${JSON.stringify(figures)}`)
  expect(figures.p99).toBeLessThanOrEqual(P99_MS)
  expect(figures.max).toBeLessThanOrEqual(MAX_MS)
})
