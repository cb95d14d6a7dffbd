import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import type { CheckedWire } from '../../../test/contracts/checked-http.ts'
import { booksOf, expectTruth, misbehave, recoverFully } from '../../../test/provider.ts'
import { startTestRailyard, type TestRailyard } from '../../../test/railyard.ts'
import { type Asked, checkWalletWire, goTo, openWalletShop, type WalletShop } from '../../../test/wallet.ts'
import type { FaultItem, FaultKind } from '../../sandbox/fault.schema.ts'
import type { HttpAnswer } from '../connector.ts'

let railyard: TestRailyard
let shop: WalletShop
let wire: CheckedWire

beforeAll(async () => {
  railyard = await startTestRailyard({ PROVIDER_TIMEOUT_MS: '400', RECOVERY_INTERVAL_MS: '50' })
  wire = checkWalletWire(railyard, { faults: true })
  // a notification would find out what recovery is to find out
  shop = await openWalletShop(railyard, { webhook_id: undefined })
})
afterAll(async () => {
  // what a delay held back has arrived by now, and changed nothing
  await expectTruth(railyard, shop.account)
  await railyard.close()
  expect(wire.violations).toEqual([])
})

const faults: { name: string; fault: Pick<FaultItem, 'kind' | 'delay_ms'> }[] = [
  { name: 'a short delay', fault: { kind: 'delay', delay_ms: 20 } },
  { name: 'a delay beyond our patience', fault: { kind: 'delay', delay_ms: 800 } },
  ...(['error', 'lost', 'reset', 'malformed', 'empty', 'duplicate', 'outage'] satisfies FaultKind[]).map((kind) => ({ name: kind, fault: { kind } })),
]

interface Deed {
  operation: FaultItem['operation']
  prepare: () => Promise<Asked | undefined>
  /** Answers the id of the payment. */
  act: (payment: Asked | undefined) => Promise<string>
  /** How it ends when the fault is over. */
  ends: Record<string, unknown>
}

/** What a test needs was prepared. */
const known = (payment: Asked | undefined): Asked => {
  if (!payment) throw new Error('there is no payment')
  return payment
}

const then = (does: (payment: Asked) => Promise<unknown>) => async (payment: Asked | undefined) => {
  await does(known(payment))
  return known(payment).id
}

const returns = then(async ({ buyer }) => goTo(await buyer.approve()))

const deeds: Deed[] = [
  {
    operation: 'approval',
    prepare: async () => undefined,
    act: async () => (await shop.ask(30_00)).body.id,
    ends: { status: expect.stringMatching(/^(buyer_approval_pending|authorization_failed)$/), authorized_amount: 0 },
  },
  { operation: 'authorize', prepare: () => shop.asked(30_00), act: returns, ends: { status: 'authorization_succeeded', authorized_amount: 30_00 } },
  {
    operation: 'sale',
    prepare: () => shop.asked(30_00, { intent: 'capture' }),
    act: returns,
    ends: { status: 'capture_succeeded', captured_amount: 30_00 },
  },
  {
    operation: 'find',
    prepare: () => shop.asked(30_00),
    act: returns,
    ends: { status: expect.stringMatching(/^(buyer_approval_pending|authorization_succeeded)$/) },
  },
  {
    operation: 'capture',
    prepare: () => shop.authorized(30_00),
    act: then((payment) => payment.capture({ amount: 20_00 })),
    ends: { status: 'capture_succeeded', captured_amount: 20_00 },
  },
  { operation: 'void', prepare: () => shop.authorized(30_00), act: then((payment) => payment.void()), ends: { status: 'authorization_voided' } },
  {
    operation: 'refund',
    prepare: () => shop.sold(30_00),
    act: then((payment) => payment.refund({ amount: 10_00 })),
    ends: { status: 'capture_succeeded', refunded_amount: 10_00 },
  },
  {
    operation: 'cancel',
    prepare: () => shop.authorized(540001),
    act: then((payment) => payment.cancel()),
    ends: { status: 'authorization_failed', error_code: 'canceled', authorized_amount: 0 },
  },
]

/** Nothing that has failed at us may be approved in the books: asked at once, while the fault still lasts. What was canceled has been released. */
async function neverFailedWhileApproved(): Promise<void> {
  const approved = (await booksOf(railyard)).operations.filter(({ status }) => status === 'approved').map(({ key }) => key)
  const ours = await railyard.world.run<{ id: string; kind: string; status: string }>(
    `select id, kind, status from operations where id = any($1) and status in ('failed', 'declined') and error_code <> 'canceled'`,
    [approved],
  )
  expect(ours).toEqual([])
}

describe.each(deeds)('$operation', ({ operation, prepare, act, ends }) => {
  test.each(faults)('is done once or not at all after $name, and we know which', async ({ fault }) => {
    const payment = await prepare()
    await misbehave(railyard, { operation, ...fault, times: 1 })
    const id = await act(payment)
    await neverFailedWhileApproved()
    await recoverFully(railyard)
    await neverFailedWhileApproved()
    await expectTruth(railyard, shop.account)
    expect(await shop.payment(id).read()).toMatchObject(ends)
  })

  test('with every answer lost and no look into the books, nothing is decided; then the truth', async () => {
    const payment = await prepare()
    // that the buyer approved is still found: it is the first look
    const looksOnce = { operation: 'find', kind: 'delay', delay_ms: 0, times: 1 } as const
    const lost = operation === 'find' ? [] : [{ operation, kind: 'lost' as const }]
    await misbehave(railyard, ...(asksFirst.includes(operation) ? [looksOnce] : []), ...lost, { operation: 'find', kind: 'error' })
    const acting = act(payment)
    await expect.poll(struck, { timeout: 5_000 }).toBeGreaterThan(0)
    for (let pass = 0; pass < 3; pass++) {
      railyard.clock.advance(40_000)
      await railyard.recovery.runOnce()
      await neverFailedWhileApproved()
    }
    await recoverFully(railyard)
    const id = await acting
    await expectTruth(railyard, shop.account)
    expect(await shop.payment(id).read()).toMatchObject(ends)
  })
})

/** Operations that are preceded by a look whether the buyer approved. */
const asksFirst: FaultItem['operation'][] = ['authorize', 'sale']

/** How often answers were lost, or the books could not be read. */
async function struck(): Promise<number> {
  const { items } = (await railyard.admin.get('/sandbox/faults')).body
  return items.filter(({ kind }: FaultItem) => kind !== 'delay').reduce((sum: number, item: { struck: number }) => sum + item.struck, 0)
}

describe('a refusal', () => {
  test('that belongs to another request is not believed: the books are read first', async () => {
    const refused = await shop.asked(200015)
    const good = await shop.asked(30_00)
    await goTo(await refused.buyer.approve())
    // a broken proxy answers with what the refused payment was told
    await misbehave(railyard, { operation: 'authorize', kind: 'duplicate', times: 1 })
    await goTo(await good.buyer.approve())
    expect(await refused.read()).toMatchObject({ status: 'authorization_failed', error_code: 'refused_transaction' })
    await recoverFully(railyard)
    expect(await good.read()).toMatchObject({ status: 'authorization_succeeded', authorized_amount: 30_00 })
    await expectTruth(railyard, shop.account)
  })

  test('is not final while the books cannot be read', async () => {
    const refused = await shop.asked(200015)
    const back = await refused.buyer.approve()
    await misbehave(railyard, { operation: 'find', kind: 'error', times: 2 })
    await goTo(back)
    await recoverFully(railyard)
    await goTo(back)
    await recoverFully(railyard)
    expect(await refused.read()).toMatchObject({ status: 'authorization_failed', error_code: 'refused_transaction' })
  })
})

describe('without a token', () => {
  test('nothing is sent: the payment has failed, and no money can have moved', async () => {
    const fresh = await openWalletShop(railyard, { client_secret: 'invalid' })
    expect((await fresh.ask(30_00)).body).toMatchObject({ status: 'authorization_failed', error_code: 'invalid_service_credentials' })
    await misbehave(railyard, { operation: 'token', kind: 'lost' })
    const other = await openWalletShop(railyard, { client_id: 'another', webhook_id: undefined })
    expect((await other.ask(30_00)).body).toMatchObject({ status: 'authorization_failed', error_code: 'service_network_error' })
    await misbehave(railyard)
    expect((await other.ask(30_00)).body.status).toBe('buyer_approval_pending')
  })
})

test('a request that cannot be sent again says nothing of the first, which is still on its way', async () => {
  const payment = await shop.asked(30_00)
  await misbehave(railyard, { operation: 'authorize', kind: 'delay', delay_ms: 2_500, times: 1 })
  const { http } = railyard.world
  const send = http.request
  let refusals = 0
  const returned = goTo(await payment.buyer.approve())
  await expect.poll(struckDelays).toBe(1)
  http.request = async (request) => {
    if (!request.url.endsWith('/authorize')) return send(request)
    refusals += 1
    return { lost: true, sent: false, reason: 'ECONNREFUSED' }
  }
  await expect.poll(() => refusals, { timeout: 5_000 }).toBeGreaterThan(0)
  expect((await payment.read()).status).toBe('processing')
  http.request = send
  await returned
  await recoverFully(railyard)
  expect(await payment.read()).toMatchObject({ status: 'authorization_succeeded', authorized_amount: 30_00 })
  await expectTruth(railyard, shop.account)
})

const struckDelays = async (): Promise<number> => (await railyard.admin.get('/sandbox/faults')).body.items[0].struck

test('many payments through a wallet that fails at random end as its books say', async () => {
  const kinds = ['error', 'lost', 'reset', 'malformed', 'empty', 'outage'] as const
  await misbehave(railyard, ...kinds.map((kind) => ({ operation: '*' as const, kind, probability: 0.05 })))
  const patiently = async <T>(work: () => Promise<T>): Promise<T | undefined> => work().catch(() => undefined)
  await Promise.all(
    Array.from({ length: 30 }, async (_, index) => {
      const { body } = await shop.ask(10_00 + index, index % 2 ? { intent: 'capture' } : {})
      const payment = shop.payment(body.id)
      const url: string | null = body.payment_method.approval_url
      if (!url) return
      // the buyer's browser meets the same trouble, and tries again
      const approve = async () => {
        const answer = await fetch(`${url}/approve`, { method: 'POST', headers: { accept: 'application/json' } })
        return ((await answer.json()) as { redirect_to: string }).redirect_to
      }
      const back = (await patiently(approve)) ?? (await patiently(approve))
      if (back) await goTo(back)
      await payment.capture({ amount: 5_00 })
      await payment.refund({ amount: 1_00 })
      await payment.refund({ amount: 2_00 })
      await payment.void()
    }),
  )
  await neverFailedWhileApproved()
  await recoverFully(railyard)
  await expectTruth(railyard, shop.account)
})

describe('a refusal that lasts, whose first answer was lost, is decided and not asked for again for ever', () => {
  test.each([
    [300_005, 'invalid_service_credentials'],
    [300_015, 'service_rate_limit'],
  ])('of a sale of %i', async (amount, error_code) => {
    const payment = await shop.asked(amount, { intent: 'capture' })
    await payment.buyer.approve()
    await misbehave(railyard, { operation: 'sale', kind: 'lost', times: 1 })
    await payment.sync()
    await recoverFully(railyard)
    expect(await payment.read()).toMatchObject({ status: 'authorization_failed', error_code })
  })

  test.each(['PAYEE_ACCOUNT_NOT_VERIFIED', 'CONSENT_NEEDED'])('of a refund, with %s', async (issue) => {
    const payment = await shop.sold(30_00)
    const answers: HttpAnswer[] = [{ lost: true, sent: true, reason: 'no answer in time' }]
    const refusal: HttpAnswer = { lost: false, status: 403, headers: {}, body: { name: 'NOT_AUTHORIZED', details: [{ issue }] } }
    const restore = answering('/refund', async () => answers.pop() ?? refusal)
    try {
      await payment.refund({ amount: 30_00 })
      await recoverFully(railyard)
    } finally {
      restore()
    }
    expect(await payment.refunds()).toMatchObject([{ status: 'failed' }])
    expect((await payment.refund({ amount: 30_00 })).body).toMatchObject({ status: 'succeeded' })
  })
})

test.each([429, 403])('a %i that is the answer to the second of two is not believed: the books show what the first took', async (status) => {
  const payment = await shop.asked(30_00, { intent: 'capture' })
  const back = await payment.buyer.approve()
  const restore = answering('/capture', async (sent) => {
    await sent()
    return { lost: false, status, headers: {}, body: { name: 'RATE_LIMIT_REACHED' } }
  })
  try {
    await goTo(back)
  } finally {
    restore()
  }
  expect(await payment.read()).toMatchObject({ status: 'capture_succeeded', captured_amount: 30_00 })
})

/** Whatever is sent to paths with this end is answered so. Answers what ends it. */
function answering(end: string, answer: (send: () => Promise<HttpAnswer>) => Promise<HttpAnswer>): () => void {
  const { http } = railyard.world
  const send = http.request
  http.request = (request) => (request.url.endsWith(end) ? answer(() => send(request)) : send(request))
  return () => {
    http.request = send
  }
}
