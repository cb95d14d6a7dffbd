import { afterAll, describe, expect, test } from 'vitest'
import { addAntiFraudService, buyerScreenedAs } from '../../../test/support/domains/anti-fraud.ts'
import {
  answerWithoutReturn,
  authenticatedPayment,
  openSecureShop,
  returnToMerchant,
} from '../../../test/support/domains/secure-shop.ts'
import { expectSteps } from '../../../test/support/payment-steps.ts'
import { booksOf, injectFaults, recoverFully } from '../../../test/support/provider.ts'
import type { Answer } from '../../../test/support/railyard.ts'
import { startRailyardForFile } from '../../../test/support/start-railyard.ts'
import { recordOutcome } from '../../operations/journal/functions/record-outcome.sql.ts'
import { verify } from '../../verify/verify.ts'

const railyard = await startRailyardForFile({ PROVIDER_TIMEOUT_MS: '3000' })
const shop = await openSecureShop(railyard)
const fraud = await addAntiFraudService(railyard, shop)
afterAll(async () => {
  await recoverFully(railyard)
  await expectSteps(railyard, shop.account)
})

const times = <T>(count: number, work: (index: number) => Promise<T>) =>
  Promise.all(Array.from({ length: count }, (_, index) => work(index)))
const challenged = (amount: number, more: object = {}) =>
  shop.pay(amount, { ...authenticatedPayment({ number: '4111111111181072' }), ...more })

/** The authorizations and sales that the payment service has processed of this payment. */
async function charges(id: string): Promise<string[]> {
  const ours = await railyard.world.run<{ id: string }>(
    'select id from operations where transaction_id = $1',
    [id],
  )
  const known = new Set(ours.map((operation) => operation.id))
  return (await booksOf(railyard)).operations
    .filter(({ key, kind }) => known.has(key) && /authorize|sale/.test(kind))
    .map(({ status }) => status)
}

const returned = (body: Answer['body']) =>
  body.payment_method.approval_url.replace(/challenge$/, 'authenticated')

/** Every request and process that could continue a payment, at the same moment. */
async function everybody(body: Answer['body'], browsers: number): Promise<void> {
  const payment = shop.payment(body.id)
  railyard.clock.advance(40_000)
  await Promise.all([
    times(browsers, () => returnToMerchant(railyard, returned(body), 'whatever')),
    times(3, () => payment.sync()),
    times(2, () => railyard.recovery.runOnce()),
  ])
}

describe('twenty browsers come back from one challenge, while the merchant asks and recovery looks', () => {
  test.each(['authorize', 'capture'])('and the payment is made once (%s)', async (intent) => {
    const { body } = await challenged(21_00, { intent })
    await answerWithoutReturn(railyard, body.payment_method.approval_url)
    await everybody(body, 20)
    expect(await charges(body.id)).toEqual(['approved'])
    expect(await shop.payment(body.id).read()).toMatchObject({
      status: intent === 'capture' ? 'capture_succeeded' : 'authorization_succeeded',
    })
    await expectSteps(railyard, shop.account)
  })

  test('and the payment is made once also where what pays it was authenticated by a process that died then', async () => {
    const { body } = await challenged(22_00)
    const { keys } = railyard.world
    // authenticated and intended; the card is not opened, and nothing is sent
    railyard.world.keys = { ...keys, unwrap: () => Promise.reject(new Error('gone')) }
    await answerWithoutReturn(railyard, body.payment_method.approval_url)
    expect((await shop.payment(body.id).sync()).status).toBe(500)
    railyard.world.keys = keys
    await everybody(body, 5)
    await recoverFully(railyard)
    expect((await charges(body.id)).length).toBeLessThanOrEqual(1)
    expect((await shop.payment(body.id).read()).status).toMatch(/authorization_(succeeded|failed)/)
    await expectSteps(railyard, shop.account)
  })

  test.each(['ACCEPT', 'REJECT'])(
    'and what was held for review is decided meanwhile: %s',
    async (verdict) => {
      const { body } = await challenged(23_00, { intent: 'capture', buyer: buyerScreenedAs('review') })
      expect(body).toMatchObject({ status: 'buyer_approval_pending', pending_review: true })
      await answerWithoutReturn(railyard, body.payment_method.approval_url)
      await Promise.all([everybody(body, 20), times(5, () => fraud.decides(body.id, verdict))])
      await recoverFully(railyard)
      await recoverFully(railyard)
      expect(await charges(body.id)).toEqual(['approved'])
      expect(await shop.payment(body.id).read()).toMatchObject({
        status: verdict === 'ACCEPT' ? 'capture_succeeded' : 'authorization_voided',
        pending_review: false,
      })
      await expectSteps(railyard, shop.account)
    },
  )
})

describe('the merchant cancels while the cardholder comes back', () => {
  test('one of the two wins, and after a cancellation nothing is authorized', async () => {
    const ends = new Set<string>()
    await times(12, async (index) => {
      const { body } = await challenged(24_00 + index)
      await answerWithoutReturn(railyard, body.payment_method.approval_url)
      const cancel = () => shop.payment(body.id).cancel()
      const back = () => returnToMerchant(railyard, returned(body), 'whatever')
      const [canceled] = await Promise.all(
        index % 2 ? [cancel(), back(), back()] : [back().then(cancel), back()],
      )
      const { status, error_code } = await shop.payment(body.id).read()
      const isCanceled = canceled?.status === 200 && canceled.body.status === 'succeeded'
      expect([isCanceled, status, error_code]).toEqual(
        isCanceled ? [true, 'authorization_failed', 'canceled'] : [false, 'authorization_succeeded', null],
      )
      expect(await charges(body.id)).toEqual(isCanceled ? [] : ['approved'])
      ends.add(status)
    })
    expect(ends).toContain('authorization_succeeded')
    await expectSteps(railyard, shop.account)
  })

  test('a cancellation that a process left behind is carried out, whatever the cardholder has answered', async () => {
    for (const decision of ['confirm', 'decline'] as const) {
      const { body } = await challenged(25_00)
      const stopped = await leaveBehind(body.id)
      await answerWithoutReturn(railyard, body.payment_method.approval_url, decision)
      await times(3, () => shop.payment(body.id).sync())
      expect(await charges(body.id)).toEqual([])
      await recoverFully(railyard)
      expect(await charges(body.id)).toEqual([])
      expect(await shop.payment(body.id).read()).toMatchObject({
        status: 'authorization_failed',
        authorized_amount: 0,
      })
      expect(
        (
          await railyard.world.run<{ status: string }>('select status from operations where id = $1', [
            stopped,
          ])
        )[0]?.status,
      ).toBe('approved')
    }
    await expectSteps(railyard, shop.account)
  })
})

/** A cancellation that is intended, and whose process died before anything else. Answers its operation. */
async function leaveBehind(id: string): Promise<string> {
  const { world } = railyard
  const { run } = world
  world.run = async (sql, values) => {
    // the next statement of the request that intended it
    if (sql === recordOutcome.text) throw new Error('died')
    return run(sql, values)
  }
  try {
    expect((await shop.payment(id).cancel()).status).toBe(500)
  } finally {
    world.run = run
  }
  const [operation] = await world.run<{ id: string }>(
    `select id from operations where transaction_id = $1 and kind = 'cancel'`,
    [id],
  )
  return operation?.id ?? expect.fail('nothing was intended')
}

test('one who answers the challenge so late that it is given up is asked about by nobody, and no card is kept', async () => {
  const { body } = await challenged(26_00)
  await answerWithoutReturn(railyard, body.payment_method.approval_url)
  await injectFaults(railyard, { operation: 'find', kind: 'outage', payment_service_id: 'three-d-secure' })
  railyard.clock.advance(3_700_000)
  await Promise.all([everybody(body, 10)])
  await injectFaults(railyard)
  await everybody(body, 10)
  expect(await shop.payment(body.id).read()).toMatchObject({
    status: 'authorization_failed',
    error_code: 'incomplete_buyer_approval',
  })
  expect(await charges(body.id)).toEqual([])
  await expectSteps(railyard, shop.account)
})

describe('a 3DS server that takes its time', () => {
  /** The payment, with recovery looking after so long by the clock while the 3DS server is still busy. */
  const lookedAtAfter = async (ms: number, amount: number) => {
    await injectFaults(railyard, { operation: 'authentication', kind: 'delay', delay_ms: 400, times: 1 })
    const paying = challenged(amount)
    const asked = () =>
      railyard.world.run(
        `select 1 as one from operations where kind = 'authentication' and status = 'sent' and amount = $1`,
        [amount],
      )
    await expect.poll(asked).toHaveLength(1)
    railyard.clock.advance(ms)
    await railyard.recovery.runOnce()
    const { body } = await paying
    return body
  }

  test('is given the time for both of its answers', async () => {
    expect(await lookedAtAfter(3_000 + 6_000, 27_01)).toMatchObject({ status: 'buyer_approval_pending' })
  })

  test('and answers after the payment was given up: nobody is challenged, and no card is kept', async () => {
    const { id } = await lookedAtAfter(60_000, 27_02)
    expect(await shop.payment(id).read()).toMatchObject({
      status: 'authorization_failed',
      error_code: 'service_network_error',
    })
    expect(await railyard.world.run('select 1 as one from held_instruments where id = $1', [id])).toEqual([])
  })
})

test('a card that is to be stored waits with the payment, and goes with it', async () => {
  const { body } = await challenged(28_00, { store: true })
  expect(body).toMatchObject({ status: 'buyer_approval_pending' })
  const stored = () =>
    railyard.world.run('select provisional from payment_methods where merchant_account_id = $1', [
      shop.account,
    ])
  expect(await stored()).toEqual([{ provisional: true }])
  expect((await verify(railyard.world.run)).findings).toEqual([])
  await shop.payment(body.id).cancel()
  expect(await stored()).toEqual([])
  expect((await verify(railyard.world.run)).findings).toEqual([])
})

test('what was accepted while the cardholder was away is captured when they are back', async () => {
  const { body } = await challenged(29_00, { intent: 'capture', buyer: buyerScreenedAs('review') })
  await fraud.decides(body.id, 'ACCEPT')
  for (let minutes = 0; minutes < 10; minutes++) {
    railyard.clock.advance(60_000)
    await railyard.recovery.runOnce()
  }
  await answerWithoutReturn(railyard, body.payment_method.approval_url)
  await returnToMerchant(railyard, returned(body), 'whatever')
  expect(await shop.payment(body.id).read()).toMatchObject({
    status: 'capture_succeeded',
    pending_review: false,
  })
})
