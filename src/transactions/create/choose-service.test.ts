import { afterEach, expect, test } from 'vitest'
import { booksOf, expectBooksMatch, injectFaults, recoverFully } from '../../../test/support/provider.ts'
import { addService, invalidFields, openShop, type Shop } from '../../../test/support/shop.ts'
import { startShop } from '../../../test/support/start-shop.ts'
import { errorCodes, isErrorCode } from '../../connectors/contract/error-codes.ts'
import { declinedAmounts, failedAmounts } from '../../sandbox/core/amounts.ts'

const { railyard, shop } = await startShop()
const second = await addService(railyard, shop)
afterEach(() => injectFaults(railyard))

/** The payment services that have an operation of this amount in their books. */
const servicesWith = async (amount: number) =>
  (await booksOf(railyard)).operations
    .filter((operation) => operation.amount === amount)
    .map((operation) => operation.payment_service_id)

const setService = (merchant: Shop, id: string, change: Record<string, unknown>) =>
  railyard.admin.put(`/payment-services/${id}`, change, { 'x-svc-merchant-account-id': merchant.account })

const retriable = ([, code]: readonly [number, string]) => isErrorCode(code) && errorCodes[code].retriable
const refusedAmounts = [...declinedAmounts, ...failedAmounts]

test.each(refusedAmounts.filter(retriable))(
  'after a refusal of %i with %s the second payment service gets the payment',
  async (amount, code) => {
    const { body } = await shop.pay(amount)
    expect(body).toMatchObject({
      status: 'authorization_failed',
      error_code: code,
      payment_service: { id: second },
    })
    expect(await servicesWith(amount)).toEqual([shop.paymentServiceId, second])
  },
)

test.each(refusedAmounts.filter((row) => !retriable(row)))(
  'a refusal of %i with %s is final',
  async (amount) => {
    const { body } = await shop.pay(amount)
    expect(body).toMatchObject({
      status: 'authorization_failed',
      payment_service: { id: shop.paymentServiceId },
    })
    expect(await servicesWith(amount)).toEqual([shop.paymentServiceId])
  },
)

test('a payment that the second payment service approves has succeeded', async () => {
  const merchant = await openShop(railyard)
  const other = await addService(railyard, merchant)
  await setService(merchant, merchant.paymentServiceId, {
    fields: [{ key: 'merchant_id', value: 'invalid' }],
  })
  const payment = await merchant.sold(15_00)
  expect(await payment.read()).toMatchObject({
    status: 'capture_succeeded',
    error_code: null,
    payment_service: { id: other },
  })
  expect((await payment.refund()).body.status).toBe('succeeded')
  await expectBooksMatch(railyard, merchant.account)
})

test('with skip_retry no second payment service gets the payment', async () => {
  const merchant = await openShop(railyard)
  await addService(railyard, merchant)
  const { body } = await merchant.pay(300013, { connection_options: { 'mock-card': { skip_retry: true } } })
  expect(body).toMatchObject({
    error_code: 'service_error',
    payment_service: { id: merchant.paymentServiceId },
  })
})

test.each(['lost', 'reset', 'error', 'malformed', 'empty', 'outage'] as const)(
  'after a fault of the kind %s no other payment service gets the payment, because money may have moved',
  async (kind) => {
    const merchant = await openShop(railyard)
    const other = await addService(railyard, merchant)
    await injectFaults(railyard, {
      operation: 'authorize',
      kind,
      payment_service_id: merchant.paymentServiceId,
    })
    const payment = await merchant.authorized(33_00)
    expect(await payment.read()).toMatchObject({
      status: 'processing',
      error_code: null,
      payment_service: { id: merchant.paymentServiceId },
    })
    await recoverFully(railyard)
    expect(
      (await booksOf(railyard)).operations.filter(({ payment_service_id }) => payment_service_id === other),
    ).toEqual([])
    expect((await payment.read()).status).not.toBe('processing')
    await expectBooksMatch(railyard, merchant.account)
  },
)

test('payment services are tried in the order of their positions', async () => {
  const merchant = await openShop(railyard)
  const other = await addService(railyard, merchant, { position: 0 })
  await setService(merchant, merchant.paymentServiceId, { position: 5 })
  expect((await merchant.pay(5_00)).body.payment_service.id).toBe(other)
})

test('a payment service that the merchant names is the only one that gets the payment', async () => {
  expect((await shop.pay(7_77, { payment_service_id: second })).body.payment_service.id).toBe(second)
  expect((await shop.pay(300013, { payment_service_id: second })).body).toMatchObject({
    error_code: 'service_error',
    payment_service: { id: second },
  })
})

test('a named payment service must exist, be active, and take the currency and the country', async () => {
  const merchant = await openShop(railyard)
  const payment_service_id = await addService(railyard, merchant, {
    accepted_currencies: ['USD'],
    accepted_countries: ['US'],
  })
  const refused = invalidFields('/payment_service_id')
  expect(await merchant.pay(1_00, { payment_service_id })).toMatchObject(refused)
  expect(await merchant.pay(1_00, { payment_service_id, currency: 'USD', country: 'DE' })).toMatchObject(
    refused,
  )
  expect(await merchant.pay(1_00, { payment_service_id: second })).toMatchObject(refused)
  expect(await merchant.pay(1_00, { payment_service_id, currency: 'USD', country: 'US' })).toMatchObject({
    status: 201,
  })
  await setService(merchant, payment_service_id, { active: false })
  expect(await merchant.pay(1_00, { payment_service_id, currency: 'USD', country: 'US' })).toMatchObject(
    refused,
  )
})

test('without a payment service that can take it, a payment fails with all_attempts_skipped', async () => {
  const merchant = await openShop(railyard)
  for (const more of [{ currency: 'CHF' }, { country: 'FR' }]) {
    const { status, body } = await merchant.pay(1_00, more)
    expect({ status, body }).toMatchObject({
      status: 201,
      body: {
        status: 'authorization_failed',
        error_code: 'all_attempts_skipped',
        intent_outcome: 'failed',
        payment_service: null,
      },
    })
    expect((await merchant.get(`/transactions/${body.id}`)).body).toEqual(body)
    expect((await merchant.payment(body.id).capture()).status).toBe(400)
  }
})

test('an inactive payment service gets no new payment, and continues the payments that it has', async () => {
  const merchant = await openShop(railyard)
  const payment = await merchant.authorized(10_00)
  await setService(merchant, merchant.paymentServiceId, { active: false })
  expect((await merchant.pay(10_00)).body.error_code).toBe('all_attempts_skipped')
  expect((await payment.capture()).body.status).toBe('capture_succeeded')
  expect((await payment.refund()).body.status).toBe('succeeded')
})

test('recovery finds the outcome of an operation at a payment service that was deleted meanwhile', async () => {
  const merchant = await openShop(railyard)
  await injectFaults(railyard, { operation: 'authorize', kind: 'lost', times: 1 })
  const payment = await merchant.authorized(10_00)
  await railyard.send('DELETE', `/payment-services/${merchant.paymentServiceId}`, {
    headers: {
      authorization: `Bearer ${railyard.admin.token}`,
      'x-svc-merchant-account-id': merchant.account,
    },
  })
  await recoverFully(railyard)
  expect((await payment.read()).status).toBe('authorization_succeeded')
})

test('a payment with a method that no payment service takes is created and fails', async () => {
  const { status, body } = await shop.pay(1_00, {
    payment_method: {
      method: 'ideal',
      currency: 'EUR',
      country: 'NL',
      redirect_url: 'https://shop.example/back',
    },
  })
  expect({ status, body }).toMatchObject({
    status: 201,
    body: { method: 'ideal', error_code: 'all_attempts_skipped' },
  })
})
