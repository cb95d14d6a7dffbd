import { describe, expect, test } from 'vitest'
import { type Asked, startWalletShop } from '../../support/domains/wallet.ts'
import { booksOf, injectFaults, recoverFully } from '../../support/provider.ts'

const { railyard, shop } = await startWalletShop({
  env: { PROVIDER_TIMEOUT_MS: '400', RECOVERY_INTERVAL_MS: '50' },
  faults: true,
  fields: { webhook_id: undefined },
})

/** A payment of 30.00 with captures of 10.00 and of 15.00; the rest is released. */
async function capturedTwice(): Promise<Asked> {
  const payment = await shop.authorized(30_00)
  await payment.capture({ amount: 10_00, final: false })
  expect(await payment.read()).toMatchObject({ captured_amount: 10_00 })
  await payment.capture({ amount: 15_00 })
  expect(await payment.read()).toMatchObject({ status: 'capture_succeeded', captured_amount: 25_00 })
  return payment
}

const statusOf = async (payment: Asked, amount: number) => (await payment.refund({ amount })).body.status

describe('PayPal captures one authorization several times:', () => {
  test('each capture is its own, and the final one ends the authorization', async () => {
    const payment = await capturedTwice()
    expect((await payment.captures()).map(({ amount }) => amount)).toEqual([15_00, 10_00])
    expect(await payment.capture({ amount: 1_00 })).toMatchObject({ status: 400 })
  })

  test('a refund is of the smallest capture that has its amount left', async () => {
    const payment = await capturedTwice()
    expect(await statusOf(payment, 12_00)).toBe('succeeded')
    expect(await statusOf(payment, 10_00)).toBe('succeeded')
    expect(await statusOf(payment, 3_00)).toBe('succeeded')
    expect(await payment.read()).toMatchObject({ refunded_amount: 25_00 })
  })

  test('a refund that no capture has left is refused, and says how much can be refunded at once', async () => {
    const payment = await capturedTwice()
    const { body } = await payment.refund({})
    expect(body).toMatchObject({ status: 'failed', amount: 25_00 })
    expect(await payment.read()).toMatchObject({ refunded_amount: 0 })
    const { operations } = await booksOf(railyard)
    const order = payment.created.payment_service_transaction_id
    expect(operations.filter(({ kind, payment_id }) => kind === 'refund' && payment_id === order)).toEqual([])
    expect(await statusOf(payment, 15_00)).toBe('succeeded')
    expect(await statusOf(payment, 10_00)).toBe('succeeded')
  })

  test.each(['lost', 'error_after', 'reset', 'error'] as const)(
    'a refund whose answer is %s happens once, of the capture that was chosen first',
    async (kind) => {
      const payment = await capturedTwice()
      await injectFaults(railyard, { operation: 'refund', kind, times: 1 })
      await payment.refund({ amount: 9_00 })
      await recoverFully(railyard)
      expect(await payment.read()).toMatchObject({ refunded_amount: 9_00 })
      expect(await statusOf(payment, 15_00)).toBe('succeeded')
    },
  )

  test('a refund fails without a request while the order cannot be read', async () => {
    const payment = await capturedTwice()
    await injectFaults(railyard, { operation: 'find', kind: 'error', times: 1 })
    expect(await statusOf(payment, 9_00)).toBe('failed')
    expect(await statusOf(payment, 9_00)).toBe('succeeded')
  })
})
