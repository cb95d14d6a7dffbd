import { describe, expect, test } from 'vitest'
import {
  always,
  decline,
  mastercard,
  path,
  replayShops,
  routeTo,
  setLive,
} from '../../../test/support/domains/replay.ts'
import { invalidFields } from '../../../test/support/shop.ts'
import { startRailyardForFile } from '../../../test/support/start-railyard.ts'

const railyard = await startRailyardForFile()
const { shopWithTwo } = replayShops(railyard)

describe('the changes in a replay', () => {
  test('payments whose first payment service would differ are counted, with the shares of both services', async () => {
    const { shop, first, second } = await shopWithTwo()
    const payment = await shop.sold(10_00)
    await shop.sold(10_00, { payment_method: mastercard })
    const rules = [{ ...routeTo(second), condition: { field: 'scheme', operator: 'is', value: 'visa' } }]
    const { status, body } = await shop.post(path, { rules })
    expect({ status, body }).toMatchObject({
      status: 200,
      body: {
        type: 'flow-rules-replay',
        flow: 'card-transaction',
        rules: { state: 'inline', version: null },
        transactions: { replayed: 2, left_out: { named: 0, corrected: 0 } },
        decisions: {
          total: 2,
          unchanged: 1,
          moved: 1,
          rules: [{ display_name: 'Route', action: 'route-transaction', before: 0, after: 1 }],
        },
        examples: [
          {
            transaction_id: payment.id,
            change: 'moved',
            before: { declined_early: null, payment_services: [first, second], rules: [] },
            after: {
              declined_early: null,
              payment_services: [second],
              rules: [{ action: 'route-transaction' }],
            },
          },
        ],
      },
    })
    expect(body.payment_services).toEqual(
      expect.arrayContaining([
        expect.objectContaining({
          payment_service_id: first,
          display_name: 'Mock card',
          before: { attempts: 2, share: 1 },
          after: { attempts: 1, share: 0.5 },
        }),
        expect.objectContaining({
          payment_service_id: second,
          before: { attempts: 0, share: 0 },
          after: { attempts: 1, share: 0.5 },
        }),
      ]),
    )
  })

  test('payments that would be declined early are counted, and those that no longer would, whose route is unknown', async () => {
    const { shop, first } = await shopWithTwo()
    await setLive(shop, [decline({ field: 'metadata.risk', operator: 'is', value: 'high' })])
    await shop.pay(10_00, { metadata: { risk: 'high' } })
    await shop.pay(10_00)
    const { body } = await shop.post(path, {
      rules: [decline({ field: 'metadata.risk', operator: 'is_null', value: true })],
    })
    expect(body.decisions).toMatchObject({
      total: 2,
      unchanged: 0,
      newly_declined_early: 1,
      no_longer_declined_early: 1,
    })
    expect(body.approval).toMatchObject({
      before: { attempts: 1, not_estimable: { transactions: 0 } },
      after: {
        attempts: 1,
        estimable: 0,
        rate: null,
        bounds: { low: 0, high: 1 },
        not_estimable: { transactions: 1, share: 1, pairs: [{ payment_service_id: null }] },
      },
      change: null,
    })
    expect(body.payment_services).toMatchObject([
      { payment_service_id: first, before: { attempts: 1 }, after: { attempts: 0 } },
    ])
    expect(body.examples).toHaveLength(2)
  })

  test('payments whose request named the payment service, or whose amount was corrected, are left out and counted', async () => {
    const { shop, second } = await shopWithTwo()
    await shop.sold(10_00, { payment_service_id: second })
    const corrected = await shop.authorized(10_00)
    expect((await corrected.correct({ metadata: { tier: 'gold' } })).status).toBe(200)
    await shop.sold(10_00)
    const { body } = await shop.post(path, { rules: [routeTo(second)] })
    expect(body.transactions).toMatchObject({ replayed: 1, left_out: { named: 1, corrected: 1 } })
  })

  test('an amount that was incremented later is replayed as it was requested', async () => {
    const { shop, second } = await shopWithTwo()
    const payment = await shop.authorized(10_00)
    expect((await payment.increment(90_00)).status).toBe(200)
    const rules = [
      { ...routeTo(second), condition: { field: 'amount', operator: 'eq', value: 10_00, currency: 'EUR' } },
    ]
    expect((await shop.post(path, { rules })).body.decisions).toMatchObject({ total: 1, moved: 1 })
  })

  test('a replay uses the draft by default, and earlier versions by their number', async () => {
    const { shop, first, second } = await shopWithTwo()
    await setLive(shop, [routeTo(first)])
    await shop.sold(10_00)
    await setLive(shop, [routeTo(second)])
    await shop.put('/flows/card-transaction/rules', { items: [decline(always)] })
    expect((await shop.post(path)).body).toMatchObject({
      rules: { state: 'draft', version: 3 },
      decisions: { newly_declined_early: 1 },
    })
    expect((await shop.post(path, { state: 'live' })).body).toMatchObject({
      rules: { state: 'live', version: 2 },
      decisions: { moved: 1 },
    })
    expect((await shop.post(path, { version: 1 })).body).toMatchObject({
      rules: { state: 'retired', version: 1 },
      decisions: { unchanged: 1 },
    })
  })

  test('early decline rules of other methods are replayed over payments with those methods only', async () => {
    const { shop } = await shopWithTwo()
    await shop.sold(10_00)
    await shop.pay(10_00, {
      payment_method: {
        method: 'ideal',
        currency: 'EUR',
        country: 'NL',
        redirect_url: 'https://shop.example/back',
      },
    })
    const { body } = await shop.post('/flows/non-card-transaction/rules/replay', { rules: [decline(always)] })
    expect(body.decisions).toMatchObject({ total: 1, newly_declined_early: 1 })
  })
})

describe('the expected approval rate', () => {
  test('the expected rate comes from first attempts, whatever happened to the payment afterwards', async () => {
    const { shop, first, second } = await shopWithTwo()
    await setLive(shop, [
      { ...routeTo(second, first), condition: { field: 'metadata.to', operator: 'is', value: 'second' } },
    ])
    for (const amount of [10_00, 11_00, 12_00, 300_013]) await shop.pay(amount)
    for (const amount of [13_00, 300_013]) await shop.pay(amount, { metadata: { to: 'second' } })
    const { body } = await shop.post(path, { rules: [routeTo(second)] })
    expect(body.approval.before).toMatchObject({
      attempts: 6,
      estimable: 6,
      rate: { value: expect.closeTo(4 / 6, 10) },
    })
    expect(body.approval.after).toMatchObject({
      attempts: 6,
      estimable: 6,
      rate: { value: expect.closeTo(1 / 2, 10) },
      thin: { tries_below: 30, transactions: 6, share: 1 },
    })
    const { value, interval } = body.approval.change
    expect(value).toBeCloseTo(1 / 2 - 4 / 6, 10)
    expect(interval.low).toBeLessThan(value)
    expect(interval.high).toBeGreaterThan(0)
  })

  test('the rate is not estimable at a payment service that has no attempts of the segment', async () => {
    const { shop, second } = await shopWithTwo()
    await shop.sold(10_00)
    await shop.sold(10_00, { currency: 'USD' })
    const rules = [{ ...routeTo(second), condition: { field: 'currency', operator: 'is', value: 'USD' } }]
    const { body } = await shop.post(path, { rules })
    expect(body.approval.after).toMatchObject({
      attempts: 2,
      estimable: 1,
      rate: { value: 1 },
      bounds: { low: 0.5, high: 1 },
      not_estimable: {
        transactions: 1,
        share: 0.5,
        pairs: [
          {
            scheme: 'visa',
            method: null,
            currency: 'USD',
            merchant_initiated: false,
            payment_service_id: second,
            transactions: 1,
            share: 0.5,
          },
        ],
      },
    })
  })
})

describe('a replay is refused', () => {
  test('for rules with problems, which the error names down to the leaf', async () => {
    const { shop } = await shopWithTwo()
    const wrong = {
      ...routeTo(shop.account),
      condition: { any: [{ field: 'amount', operator: 'gt', value: 1 }] },
    }
    const { status, body } = await shop.post(path, { rules: [routeTo(shop.paymentServiceId), wrong] })
    expect({ status, body }).toMatchObject({ status: 400, body: { code: 'bad_request' } })
    const pointers = body.details.map(({ pointer }: { pointer: string }) => pointer)
    expect(pointers).toContainEqual(expect.stringMatching(/^\/rules\/1\/condition\/any\/0/))
  })

  test('for two kinds of rules at once, and for versions that do not exist', async () => {
    const { shop } = await shopWithTwo()
    expect(await shop.post(path, { rules: [], state: 'live' })).toMatchObject(
      invalidFields('/rules', '/state'),
    )
    expect(await shop.post(path, {})).toMatchObject(invalidFields('/state'))
    expect(await shop.post(path, { version: 4 })).toMatchObject(invalidFields('/version'))
    expect((await shop.post(path, { rules: [], transactions: 1_000_001 })).status).toBe(422)
  })

  test('for the checkout flow, whose rules decide nothing about transactions', async () => {
    const { shop } = await shopWithTwo()
    expect(await shop.post('/flows/checkout/rules/replay', { rules: [] })).toMatchObject({
      status: 400,
      body: { code: 'bad_request' },
    })
    expect((await shop.post('/flows/nothing/rules/replay', { rules: [] })).status).toBe(422)
  })

  test('for callers without the scope to read flows', async () => {
    const merchant = await railyard.merchant({ scopes: ['transactions.read'] })
    expect((await merchant.post(path, { rules: [] })).status).toBe(403)
  })
})
