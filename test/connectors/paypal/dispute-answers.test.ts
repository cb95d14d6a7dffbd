import { describe, expect, test } from 'vitest'
import { recordDispute } from '../../../src/transactions/disputes/record-dispute.ts'
import { type Asked, openWalletShop } from '../../support/domains/wallet.ts'
import { startRailyardForFile } from '../../support/start-railyard.ts'

const railyard = await startRailyardForFile()
const shop = await openWalletShop(railyard)

describe('a dispute of a PayPal payment', () => {
  const simulate = (payment: Asked, more: object = {}) =>
    shop.post(`/sandbox/transactions/${payment.id}/simulate`, { event: 'dispute_notified', ...more })

  test('takes evidence and files once', async () => {
    const payment = await shop.sold(30_00)
    await simulate(payment, { amount: 20_00 })
    const [dispute] = (await shop.get(`/transactions/${payment.id}/disputes`)).body.items
    const evidence = {
      text: { PROOF_OF_FULFILLMENT: 'Delivered on 1 March, to “Ada”' },
      files: [
        {
          subject: 'PROOF_OF_FULFILLMENT',
          name: 'label.pdf',
          type: 'application/pdf',
          content: Buffer.from('%PDF-1.4').toString('base64'),
        },
      ],
    }
    expect(await shop.post(`/disputes/${dispute.id}/evidence`, evidence)).toMatchObject({
      status: 200,
      body: { evidence_submitted_at: expect.any(String) },
    })
    expect(await shop.post(`/disputes/${dispute.id}/evidence`, evidence)).toMatchObject({ status: 400 })
  })

  test('can be given up', async () => {
    const payment = await shop.sold(30_00)
    await simulate(payment)
    const [dispute] = (await shop.get(`/transactions/${payment.id}/disputes`)).body.items
    expect(await shop.post(`/disputes/${dispute.id}/accept`, {})).toMatchObject({ status: 200 })
  })

  test('finds the payment by the operation whose id its order carries', async () => {
    const payment = await shop.sold(30_00)
    const { id } = await railyard.world.db
      .selectFrom('operations')
      .select('id')
      .where('transaction_id', '=', payment.id)
      .where('kind', '=', 'approval')
      .executeTakeFirstOrThrow()
    await recordDispute(
      railyard.world,
      { account: shop.account, service: shop.walletServiceId },
      {
        id: 'PP-D-27803',
        payment: id,
        status: 'needs_response',
        amount: 30_00,
        currency: 'EUR',
        funds: null,
        reasonCode: null,
        reason: null,
        evidenceDueAt: null,
        occurredAt: '2026-03-02T10:00:00Z',
      },
    )
    expect(await payment.read()).toMatchObject({ disputed_amount: 30_00 })
  })
})
