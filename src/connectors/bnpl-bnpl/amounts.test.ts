import { expect, test } from 'vitest'
import { startBnplShop } from '../../../test/support/domains/bnpl.ts'
import { declinedAmounts, failedAmounts } from '../../sandbox/core/amounts.ts'

const { shop } = await startBnplShop()

const paid = async (amount: number, intent = 'authorize') =>
  (await shop.buyExpress(amount, await shop.pressExpress(amount), { intent })).body

/**
 * The provider can express every code: its `reason` is free text, and the sandbox uses it to be exact
 * (semantics §6.1, the same amounts for all methods).
 */
test.each([...declinedAmounts, ...failedAmounts])('a payment of %i ends with %s', async (amount, code) => {
  for (const intent of ['authorize', 'capture']) {
    const body = await paid(amount, intent)
    expect(body).toMatchObject({
      status: 'authorization_failed',
      error_code: code,
      authorized_amount: 0,
      captured_amount: 0,
    })
    expect(body.raw_response_code).toMatch(/^[A-Z_]+$/)
    expect(body.raw_response_description).toMatch(/^[A-Z_]+$/)
  }
})

test.each([
  [500001, 'failed', 'service_network_error'],
  [500002, 'declined', 'refused_transaction'],
])('a capture of %i is %s with %s', async (amount, status, error_code) => {
  const payment = shop.payment((await paid(amount)).id)
  expect((await payment.capture()).body.status).toBe('authorization_succeeded')
  expect(await payment.captures()).toMatchObject([
    { status, error_code, raw_response_code: 'CAPTURE_NOT_ALLOWED' },
  ])
})

test.each([
  [510001, 'failed', 'service_network_error'],
  [510002, 'declined', 'issuer_decline'],
])('a void of %i is %s with %s', async (amount, status, code) => {
  const payment = shop.payment((await paid(amount)).id)
  const { body } = await shop.post(`/transactions/${payment.id}/void`, undefined, {
    prefer: 'resource=transaction-void',
  })
  expect(body).toMatchObject({
    type: 'transaction-void',
    status,
    code,
    raw_response_code: 'CANCEL_NOT_ALLOWED',
  })
  expect((await payment.read()).status).toBe('authorization_succeeded')
})

test.each([
  [520001, 'failed', 'disputed_transaction'],
  [520002, 'declined', 'issuer_decline'],
  [520003, 'failed', 'service_error'],
  [520004, 'failed', 'refund_already_satisfied'],
])('a refund of %i is %s with %s', async (amount, status, error_code) => {
  const payment = shop.payment((await paid(amount, 'capture')).id)
  expect((await payment.refund()).body).toMatchObject({
    status,
    error_code,
    raw_response_code: 'REFUND_NOT_ALLOWED',
  })
  expect((await payment.read()).refunded_amount).toBe(0)
})

test('any other amount is approved', async () => {
  expect(await paid(560001)).toMatchObject({
    status: 'authorization_succeeded',
    authorized_amount: 560001,
    error_code: null,
  })
})
