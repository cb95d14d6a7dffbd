import { describe, expect, test, vi } from 'vitest'
import { addAntiFraudService } from '../../../test/support/domains/anti-fraud.ts'
import { openBnplShop } from '../../../test/support/domains/bnpl.ts'
import { withNetworkTokens } from '../../../test/support/domains/network-tokens.ts'
import { authenticatedPayment, openSecureShop, scenario } from '../../../test/support/domains/secure-shop.ts'
import { eventsNamed, refusedAt, simulationsOf } from '../../../test/support/domains/simulate.ts'
import { openWalletShop } from '../../../test/support/domains/wallet.ts'
import { expectBooksMatch } from '../../../test/support/provider.ts'
import type { Answer } from '../../../test/support/railyard.ts'
import { openShop } from '../../../test/support/shop.ts'
import { startShop } from '../../../test/support/start-shop.ts'
import { simulations } from './simulations.ts'

const { railyard, shop } = await startShop({
  comparesBooks: false,
  merchant: { settings: withNetworkTokens({ account_updater_enabled: true }) },
})
const { simulate, list } = simulationsOf(shop)

describe('simulated settlements', () => {
  test('settle a payment in full with the usual fees, as from a report of today', async () => {
    const payment = await shop.sold(10_00)
    const answer = await simulate(payment, 'settled')
    expect(answer).toMatchObject({
      status: 200,
      body: { id: payment.id, settled: true, settled_amount: 986, settled_currency: 'EUR' },
    })
    expect(await list(payment, 'settlements')).toMatchObject([
      { amount: 986, commission: 14, interchange: 10, markup: 3, scheme_fee: 1 },
    ])
    expect(
      (await eventsNamed(shop, 'transaction.settled')).map(({ target }: Answer['body']) => target.id),
    ).toContain(payment.id)
    expect(await simulate(payment, 'settled')).toMatchObject(
      refusedAt('/event', /nothing is captured that is not settled.*These fit now: disputed/),
    )
  })

  test('settle in parts, with fees and in another currency', async () => {
    const payment = await shop.sold(10_00)
    const terms = { currency: 'USD', exchange_rate: 1.25, fees: { interchange: 20, scheme_fee: 5 } }
    expect(await simulate(payment, 'settled', { amount: 4_00, ...terms })).toMatchObject({
      body: { settled_amount: 475, settled_currency: 'USD' },
    })
    expect(await simulate(payment, 'settled')).toMatchObject(
      refusedAt('/currency', 'must be USD, as a part was settled in it'),
    )
    expect(await simulate(payment, 'settled', { currency: 'USD' })).toMatchObject(
      refusedAt('/exchange_rate', 'is needed from EUR to USD'),
    )
    expect(await simulate(payment, 'settled', { amount: 7_00, ...terms })).toMatchObject(
      refusedAt('/amount', 'is more than there is left: 600'),
    )
    expect(await simulate(payment, 'settled', { ...terms, fees: { markup: 99_999 } })).toMatchObject(
      refusedAt('/event', /fees are more than/),
    )
    expect(await simulate(payment, 'settled', terms)).toMatchObject({
      status: 200,
      body: { settled_amount: 475 + 725 },
    })
    expect(await list(payment, 'settlements')).toHaveLength(2)
  })

  test('settle a refund, dispute a payment and reverse the dispute', async () => {
    const payment = await shop.sold(10_00)
    expect(await simulate(payment, 'refund_settled')).toMatchObject(
      refusedAt('/event', /it has no refund that is not settled/),
    )
    const refund = (await payment.refund({ amount: 3_00 })).body
    await payment.refund({ amount: 1_00 })
    expect(await simulate(payment, 'refund_settled')).toMatchObject(
      refusedAt('/refund_id', /is needed, as several/),
    )
    expect(await simulate(payment, 'refund_settled', { refund_id: refund.id })).toMatchObject({ status: 200 })
    expect(await list(payment, 'refund-settlements')).toMatchObject([{ refund_id: refund.id, amount: 3_00 }])
    expect(await simulate(payment, 'dispute_reversed')).toMatchObject(
      refusedAt('/event', /nothing of it is disputed/),
    )
    expect(await simulate(payment, 'disputed', { amount: 6_00 })).toMatchObject({
      status: 200,
      body: { disputed: true },
    })
    expect(await simulate(payment, 'dispute_reversed')).toMatchObject({
      status: 200,
      body: { disputed: true },
    })
    expect(await list(payment, 'chargebacks')).toMatchObject([{ amount: 6_00 + 15_00 }])
    expect(await list(payment, 'chargeback-reversals')).toMatchObject([{ amount: 6_00 }])
    await expectBooksMatch(railyard, shop.account)
  })
})

describe('the reports of the day', () => {
  test('have the simulated settlements and do not settle twice', async () => {
    const later = await openBnplShop(railyard, { settlement_reporting_enabled: true })
    const wallet = await openWalletShop(railyard)
    await railyard.admin.put(
      `/payment-services/${wallet.walletServiceId}`,
      { settlement_reporting_enabled: true },
      { 'x-svc-merchant-account-id': wallet.account },
    )
    const paid = later.payment(await later.paidOnPage(10_00, { intent: 'capture' }))
    const sold = await wallet.sold(10_00)
    // the same line twice, from a provider whose lines have no ids
    for (const amount of [4_00, 4_00, 2_00])
      expect(await simulate(paid, 'settled', { amount }, later)).toMatchObject({ status: 200 })
    for (const amount of [4_00, 6_00])
      expect(await simulate(sold, 'settled', { amount }, wallet)).toMatchObject({ status: 200 })
    const settled = async () => [(await paid.read()).settled_amount, (await sold.read()).settled_amount]
    const before = await settled()
    expect(before).toEqual([988, 988])
    railyard.clock.advance(3 * 86_400_000)
    await railyard.reconciliation.runOnce()
    expect(await settled()).toEqual(before)
    for (const by of [later, wallet])
      expect((await by.get('/reconciliation/unmatched-lines')).body.items).toEqual([])
  })
})

describe('simulated ends of pending operations', () => {
  test.each([
    ['completed', undefined, 'authorization_succeeded', null],
    ['declined', undefined, 'authorization_failed', 'issuer_decline'],
    ['declined', 'insufficient_funds', 'authorization_failed', 'insufficient_funds'],
    ['failed', undefined, 'authorization_failed', 'service_error'],
  ])('an authorization ends as %s (%s)', async (event, error_code, status, code) => {
    const { body } = await shop.pay(540_001)
    expect(body.status).toBe('processing')
    expect(await simulate(body, event, { error_code })).toMatchObject({
      status: 200,
      body: { status, error_code: code },
    })
    expect(await simulate(body, event)).toMatchObject(refusedAt('/event', /nothing of it is pending/))
    await expectBooksMatch(railyard, shop.account)
  })

  test('a capture fails, and its amount can be captured again', async () => {
    const payment = await shop.authorized(600_000)
    expect(await payment.capture({ amount: 500_003 })).toMatchObject({ body: { status: 'capture_pending' } })
    expect(await simulate(payment, 'declined', { error_code: 'service_error' })).toMatchObject(
      refusedAt('/error_code', 'does not go with declined'),
    )
    expect(await simulate(payment, 'failed')).toMatchObject({
      status: 200,
      body: { status: 'authorization_succeeded', captured_amount: 0 },
    })
    expect(await payment.captures()).toMatchObject([{ status: 'failed' }])
    expect(await payment.capture()).toMatchObject({
      body: { status: 'capture_succeeded', captured_amount: 600_000 },
    })
    await expectBooksMatch(railyard, shop.account)
  })

  test('a void, an increment and one of two refunds end', async () => {
    const held = await shop.authorized(510_003)
    expect(await held.void()).toMatchObject({ body: { status: 'authorization_void_pending' } })
    expect(await simulate(held, 'declined')).toMatchObject({ body: { status: 'authorization_succeeded' } })
    const grown = await shop.authorized(1_00)
    expect(await grown.increment(550_001)).toMatchObject({ body: { status: 'pending' } })
    expect(await simulate(grown, 'completed')).toMatchObject({ body: { authorized_amount: 550_101 } })
    const sold = await shop.sold(2 * 520_005)
    const refunds = [await sold.refund({ amount: 520_005 }), await sold.refund({ amount: 520_005 })]
    const [first, second] = refunds.map(({ body }) => body.id)
    expect(await simulate(sold, 'completed')).toMatchObject(
      refusedAt('/operation_id', new RegExp(`several are pending: refund ${first}, refund ${second}`)),
    )
    expect(await simulate(sold, 'completed', { operation_id: second })).toMatchObject({
      body: { refunded_amount: 520_005 },
    })
    expect(await simulate(sold, 'failed')).toMatchObject({ body: { refunded_amount: 520_005 } })
    expect((await sold.refunds()).map(({ status }: Answer['body']) => status).sort()).toEqual([
      'failed',
      'succeeded',
    ])
    await expectBooksMatch(railyard, shop.account)
  })

  test('the wallet accepts only the codes that it can express', async () => {
    const wallet = await openWalletShop(railyard)
    const sold = await wallet.sold(2 * 520_005)
    // a late notification of the sale would look up the refund, and the wallet decides a refund that is
    // looked up twice
    const notified = () =>
      railyard.logged.filter(
        (line) => line.includes('"request"') && line.includes(`/notifications/${wallet.account}/`),
      )
    await vi.waitFor(() => expect(notified().length).toBeGreaterThanOrEqual(2), { timeout: 10_000 })
    await sold.refund({ amount: 520_005 })
    expect(await simulate(sold, 'declined', {}, wallet)).toMatchObject(
      refusedAt('/event', /refund: this payment service never answers declined/),
    )
    const unsaid = { error_code: 'disputed_transaction' }
    expect(await simulate(sold, 'failed', unsaid, wallet)).toMatchObject(
      refusedAt('/event', /no word for disputed_transaction/),
    )
    expect(await simulate(sold, 'failed', {}, wallet)).toMatchObject({
      status: 200,
      body: { refunded_amount: 0 },
    })
    expect(await sold.refunds()).toMatchObject([{ status: 'failed', error_code: 'service_error' }])
    await expectBooksMatch(railyard, wallet.account)
  })
})

describe('simulated decisions', () => {
  test('a buyer approves, cancels, or comes too late', async () => {
    const [wallet, later] = [await openWalletShop(railyard), await openBnplShop(railyard)]
    const asked = { wallet: () => wallet.asked(10_00), bnpl: async () => (await later.buy(10_00)).body }
    const outcomes = {
      approved: ['authorization_succeeded', null],
      rejected: ['authorization_failed', 'cancelled_buyer_approval'],
      expired: ['authorization_failed', 'incomplete_buyer_approval'],
    }
    for (const [event, [status, error_code]] of Object.entries(outcomes)) {
      expect(await simulate(await asked.wallet(), event, {}, wallet)).toMatchObject({
        status: 200,
        body: { status, error_code },
      })
      expect(await simulate(await asked.bnpl(), event, {}, later)).toMatchObject({
        status: 200,
        body: { status, error_code },
      })
    }
    const inClient = (await later.buy(10_00, { integration_client: 'web' })).body
    expect(await simulate(inClient, 'approved', {}, later)).toMatchObject({
      status: 200,
      body: { status: 'authorization_succeeded' },
    })
    for (const { account } of [wallet, later]) await expectBooksMatch(railyard, account)
  })

  test('a cardholder answers the issuer’s challenge, within the scenario', async () => {
    const secure = await openSecureShop(railyard)
    await scenario(railyard, secure, 10_01, 'C', 'Y')
    await scenario(railyard, secure, 10_02, 'C', 'N')
    await scenario(railyard, secure, 10_03, 'C', 'timeout')
    const challenged = async (amount: number) => (await secure.pay(amount, authenticatedPayment())).body
    expect(await simulate(await challenged(10_01), 'approved', {}, secure)).toMatchObject({
      body: { status: 'authorization_succeeded' },
    })
    expect(await simulate(await challenged(10_01), 'rejected', {}, secure)).toMatchObject({
      body: { status: 'authorization_failed' },
    })
    expect(await simulate(await challenged(10_01), 'expired', {}, secure)).toMatchObject({
      body: { error_code: 'incomplete_buyer_approval' },
    })
    expect(await simulate(await challenged(10_02), 'approved', {}, secure)).toMatchObject({
      body: { error_code: 'failed_buyer_approval' },
    })
    expect(await simulate(await challenged(10_03), 'approved', {}, secure)).toMatchObject(
      refusedAt('/event', /the page would not let the buyer/),
    )
    await expectBooksMatch(railyard, secure.account)
  })

  test('a reviewer accepts or rejects', async () => {
    const careful = await openShop(railyard)
    await addAntiFraudService(railyard, careful)
    const held = async () =>
      (
        await careful.pay(10_00, {
          intent: 'capture',
          buyer: { billing_details: { email_address: 'review@example.com' } },
        })
      ).body
    expect(await simulate(await held(), 'approved', {}, careful)).toMatchObject({
      body: { status: 'capture_succeeded', pending_review: false },
    })
    const second = await held()
    expect(await simulate(second, 'approved', { by: 'buyer' }, careful)).toMatchObject(
      refusedAt('/by', /^it waits for no buyer/),
    )
    expect(await simulate(second, 'rejected', { by: 'reviewer' }, careful)).toMatchObject({
      body: { status: 'authorization_voided' },
    })
    await expectBooksMatch(railyard, careful.account)
  })

  test('an authorization expires, and is renewed if the capture asks for it', async () => {
    const [gone, renewed] = [await shop.authorized(10_00), await shop.authorized(10_00)]
    for (const payment of [gone, renewed])
      expect(await simulate(payment, 'expired')).toMatchObject({
        body: { status: 'authorization_succeeded' },
      })
    await gone.capture()
    expect(await gone.captures()).toMatchObject([{ status: 'declined', error_code: 'expired_authorization' }])
    const anew = await renewed.capture({ reauthorize_if_authorization_expired: true })
    expect(anew).toMatchObject({
      body: { status: 'capture_succeeded', reauthorized_from_transaction_id: renewed.id },
    })
    await expectBooksMatch(railyard, shop.account)
  })
})

test('an unknown event is refused by the schema, and another merchant’s payment is not found', async () => {
  const payment = await shop.sold(1_00)
  const { status, body } = await simulate(payment, 'exploded')
  expect({ status, detail: body.detail }).toMatchObject({
    status: 422,
    detail: [{ loc: ['body', 'event'], input: 'exploded' }],
  })
  expect(body.detail[0].ctx.allowedValues.toSorted()).toEqual(Object.keys(simulations).sort())
  expect(await simulate(payment, 'disputed', { fees: {} })).toMatchObject({
    status: 422,
    body: { detail: [{ loc: ['body', 'fees'] }] },
  })
  expect(await simulate(payment, 'settled', {}, await railyard.merchant())).toMatchObject({ status: 404 })
  expect(await simulate({ id: crypto.randomUUID() }, 'settled')).toMatchObject({ status: 404 })
})
