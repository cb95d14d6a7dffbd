import { afterEach, describe, expect, test } from 'vitest'
import { injectFaults } from '../../test/support/provider.ts'
import type { Payment } from '../../test/support/shop.ts'
import { startShop } from '../../test/support/start-shop.ts'

const { railyard, shop } = await startShop({ comparesBooks: false })
afterEach(() => injectFaults(railyard))

const proofOf = async ({ id }: Payment) => (await shop.get(`/transactions/${id}/proof`)).body
const intact = { intact: true, links: 1, unsealed_operations: 0, problems: [] }

describe('the proof of a payment', () => {
  test('has its operations with what proves their outcome, and is consistent', async () => {
    const payment = await shop.authorized(100_00)
    await payment.capture({ amount: 60_00 })
    await payment.refund({ amount: 10_00 })
    await railyard.sealing.runOnce()
    const { operations, ...proof } = await proofOf(payment)
    expect(proof).toMatchObject({ consistent: true, findings: [], chain: intact })
    expect(operations.map(({ kind }: { kind: string }) => kind)).toEqual(['authorize', 'capture', 'refund'])
    for (const operation of operations)
      expect(operation).toMatchObject({
        status: 'approved',
        idempotency_key: operation.id,
        payment_service_id: shop.paymentServiceId,
        outcome_by: 'answer',
        sent_at: expect.any(String),
        answered_at: expect.any(String),
        next_look_up_at: null,
        calls: [{ method: 'POST', look_up: false, response_status_code: 201 }],
      })
  })

  test('whose answer was lost has the next look-up, and later the look-up that proves the outcome', async () => {
    await injectFaults(railyard, { operation: 'sale', kind: 'lost', times: 1 })
    const payment = await shop.sold(20_00)
    expect((await proofOf(payment)).operations).toMatchObject([
      {
        kind: 'sale',
        status: 'unknown',
        outcome_by: null,
        decided_at: null,
        answered_at: null,
        next_look_up_at: expect.any(String),
        calls: [{ response_status_code: null }],
      },
    ])
    await payment.sync()
    const { operations, consistent } = await proofOf(payment)
    expect(consistent).toBe(true)
    expect(operations).toMatchObject([
      { status: 'approved', outcome_by: 'look_up', calls: [{ look_up: false }, { look_up: true }] },
    ])
  })

  test('has a person’s correction as such', async () => {
    const payment = await shop.sold(20_00)
    await payment.correct({ captured_amount: 15_00 })
    const { operations } = await proofOf(payment)
    expect(operations.at(-1)).toMatchObject({
      kind: 'correction',
      outcome_by: 'correction',
      idempotency_key: null,
      calls: [],
    })
  })

  test('whose amounts do not follow from its operations names the difference', async () => {
    const payment = await shop.sold(20_00)
    await railyard.world.run('update transactions set refunded_amount = 1 where id = $1', [payment.id])
    expect(await proofOf(payment)).toMatchObject({
      consistent: false,
      findings: [{ problem: 'refunded_amount', stored: '1', computed: '0' }],
      chain: { intact: true },
    })
    await railyard.world.run('update transactions set refunded_amount = 0 where id = $1', [payment.id])
  })

  test('whose journal was changed after it was sealed names the link', async () => {
    const payment = await shop.sold(21_00)
    await railyard.sealing.runOnce()
    const change = (key: string) =>
      railyard.world.run('update operations set idempotency_key = $2 where transaction_id = $1', [
        payment.id,
        key,
      ])
    await change('another key')
    expect(await proofOf(payment)).toMatchObject({
      consistent: false,
      findings: [],
      chain: { intact: false, links: 1, problems: [expect.stringContaining('is not what was sealed')] },
    })
  })

  test('has neither card nor buyer', async () => {
    const payment = await shop.sold(22_00, {
      buyer: { billing_details: { first_name: 'Zebedee', email_address: 'zebedee@example.com' } },
    })
    expect(JSON.stringify(await proofOf(payment))).not.toMatch(/zebedee|4111111111111111/i)
  })
})
