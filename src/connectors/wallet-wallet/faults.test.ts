import { describe, expect, test } from 'vitest'
import {
  type Deed,
  describeFaults,
  neverFailedWhileApproved,
  onPayment,
} from '../../../test/support/checks/approval-faults.ts'
import { type Asked, goTo, openWalletShop, startWalletShop } from '../../../test/support/domains/wallet.ts'
import { expectBooksMatch, injectFaults, recoverFully } from '../../../test/support/provider.ts'
import type { HttpAnswer } from '../wire/http-message.ts'

const { railyard, shop } = await startWalletShop({
  env: { PROVIDER_TIMEOUT_MS: '400', RECOVERY_INTERVAL_MS: '50' },
  faults: true,
  // a notification would find the outcome that recovery is to find
  fields: { webhook_id: undefined },
})

const returns = onPayment(async ({ buyer }: Asked) => goTo(await buyer.approve()))

const deeds: Deed<Asked>[] = [
  {
    operation: 'approval',
    prepare: async () => undefined,
    act: async () => (await shop.ask(30_00)).body.id,
    ends: {
      status: expect.stringMatching(/^(buyer_approval_pending|authorization_failed)$/),
      authorized_amount: 0,
    },
  },
  {
    operation: 'authorize',
    prepare: () => shop.asked(30_00),
    act: returns,
    ends: { status: 'authorization_succeeded', authorized_amount: 30_00 },
  },
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
    act: onPayment((payment: Asked) => payment.capture({ amount: 20_00 })),
    ends: { status: 'capture_succeeded', captured_amount: 20_00 },
  },
  {
    operation: 'void',
    prepare: () => shop.authorized(30_00),
    act: onPayment((payment: Asked) => payment.void()),
    ends: { status: 'authorization_voided' },
  },
  {
    operation: 'refund',
    prepare: () => shop.sold(30_00),
    act: onPayment((payment: Asked) => payment.refund({ amount: 10_00 })),
    ends: { status: 'capture_succeeded', refunded_amount: 10_00 },
  },
  {
    operation: 'cancel',
    prepare: () => shop.authorized(540001),
    act: onPayment((payment: Asked) => payment.cancel()),
    ends: { status: 'authorization_failed', error_code: 'canceled', authorized_amount: 0 },
  },
]

describeFaults(() => ({ railyard, shop }), deeds)

describe('a refusal by the wallet', () => {
  test('that belongs to another request does not count: the books are read first', async () => {
    const refused = await shop.asked(200015)
    const good = await shop.asked(30_00)
    await goTo(await refused.buyer.approve())
    // a broken proxy answers with the refusal of another payment
    await injectFaults(railyard, { operation: 'authorize', kind: 'duplicate', times: 1 })
    await goTo(await good.buyer.approve())
    expect(await refused.read()).toMatchObject({
      status: 'authorization_failed',
      error_code: 'refused_transaction',
    })
    await recoverFully(railyard)
    expect(await good.read()).toMatchObject({ status: 'authorization_succeeded', authorized_amount: 30_00 })
    await expectBooksMatch(railyard, shop.account)
  })

  test('is not final while the books cannot be read', async () => {
    const refused = await shop.asked(200015)
    const back = await refused.buyer.approve()
    await injectFaults(railyard, { operation: 'find', kind: 'error', times: 2 })
    await goTo(back)
    await recoverFully(railyard)
    await goTo(back)
    await recoverFully(railyard)
    expect(await refused.read()).toMatchObject({
      status: 'authorization_failed',
      error_code: 'refused_transaction',
    })
  })
})

describe('without a token', () => {
  test('the payment fails without a request, so no money can have moved', async () => {
    const fresh = await openWalletShop(railyard, { client_secret: 'invalid' })
    expect((await fresh.ask(30_00)).body).toMatchObject({
      status: 'authorization_failed',
      error_code: 'invalid_service_credentials',
    })
    await injectFaults(railyard, { operation: 'token', kind: 'lost' })
    const other = await openWalletShop(railyard, { client_id: 'another', webhook_id: undefined })
    expect((await other.ask(30_00)).body).toMatchObject({
      status: 'authorization_failed',
      error_code: 'service_network_error',
    })
    await injectFaults(railyard)
    expect((await other.ask(30_00)).body.status).toBe('buyer_approval_pending')
  })
})

test('a repeated request that cannot be sent leaves the first one, still on its way, open', async () => {
  const payment = await shop.asked(30_00)
  await injectFaults(railyard, { operation: 'authorize', kind: 'delay', delay_ms: 2_500, times: 1 })
  const { http } = railyard.world
  const send = http.request
  let refusals = 0
  const returned = goTo(await payment.buyer.approve())
  await expect.poll(appliedDelays).toBe(1)
  http.request = async (request) => {
    if (!request.url.endsWith('/authorize')) return send(request)
    refusals += 1
    return { lost: true, sent: false, reason: 'ECONNREFUSED' }
  }
  await expect.poll(() => refusals).toBeGreaterThan(0)
  expect((await payment.read()).status).toBe('processing')
  http.request = send
  await returned
  await recoverFully(railyard)
  expect(await payment.read()).toMatchObject({ status: 'authorization_succeeded', authorized_amount: 30_00 })
  await expectBooksMatch(railyard, shop.account)
})

const appliedDelays = async (): Promise<number> =>
  (await railyard.admin.get('/sandbox/faults')).body.items[0].struck

test('many payments through a wallet that fails at random end as in its books', async () => {
  const kinds = ['error', 'lost', 'reset', 'malformed', 'empty', 'outage'] as const
  await injectFaults(railyard, ...kinds.map((kind) => ({ operation: '*' as const, kind, probability: 0.05 })))
  const patiently = async <T>(work: () => Promise<T>): Promise<T | undefined> => work().catch(() => undefined)
  await Promise.all(
    Array.from({ length: 30 }, async (_, index) => {
      const { body } = await shop.ask(10_00 + index, index % 2 ? { intent: 'capture' } : {})
      const payment = shop.payment(body.id)
      const url: string | null = body.payment_method.approval_url
      if (!url) return
      // the buyer's browser has the same faults, and tries again
      const approve = async () => {
        const answer = await fetch(`${url}/approve`, {
          method: 'POST',
          headers: { accept: 'application/json' },
        })
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
  await neverFailedWhileApproved(railyard)
  await recoverFully(railyard)
  await expectBooksMatch(railyard, shop.account)
})

describe('a lasting refusal whose first answer was lost is recorded, and recovery stops', () => {
  test.each([
    [300_005, 'invalid_service_credentials'],
    [300_015, 'service_rate_limit'],
  ])('of a sale of %i', async (amount, error_code) => {
    const payment = await shop.asked(amount, { intent: 'capture' })
    await payment.buyer.approve()
    await injectFaults(railyard, { operation: 'sale', kind: 'lost', times: 1 })
    await payment.sync()
    await recoverFully(railyard)
    expect(await payment.read()).toMatchObject({ status: 'authorization_failed', error_code })
  })

  test.each(['PAYEE_ACCOUNT_NOT_VERIFIED', 'CONSENT_NEEDED'])('of a refund, with %s', async (issue) => {
    const payment = await shop.sold(30_00)
    const answers: HttpAnswer[] = [{ lost: true, sent: true, reason: 'no answer in time' }]
    const refusal: HttpAnswer = {
      lost: false,
      status: 403,
      headers: {},
      body: { name: 'NOT_AUTHORIZED', details: [{ issue }] },
    }
    const restore = answerRequests('/refund', async () => answers.pop() ?? refusal)
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

test.each([429, 403])(
  'a %i to the second of two requests does not count: the books have the first one’s effect',
  async (status) => {
    const payment = await shop.asked(30_00, { intent: 'capture' })
    const back = await payment.buyer.approve()
    const restore = answerRequests('/capture', async (sent) => {
      await sent()
      return { lost: false, status, headers: {}, body: { name: 'RATE_LIMIT_REACHED' } }
    })
    try {
      await goTo(back)
    } finally {
      restore()
    }
    expect(await payment.read()).toMatchObject({ status: 'capture_succeeded', captured_amount: 30_00 })
  },
)

/** Answers every request to paths with this end. Returns a function that stops it. */
function answerRequests(
  end: string,
  answer: (send: () => Promise<HttpAnswer>) => Promise<HttpAnswer>,
): () => void {
  const { http } = railyard.world
  const send = http.request
  http.request = (request) => (request.url.endsWith(end) ? answer(() => send(request)) : send(request))
  return () => {
    http.request = send
  }
}
