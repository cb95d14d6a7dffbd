import { randomUUID } from 'node:crypto'
import { describe, expect, test } from 'vitest'
import { openPlatform } from '../../test/support/domains/delegated-payments.ts'
import { ADA, billing_details, erasureActions, MINUTE } from '../../test/support/domains/erasure.ts'
import { minimalLink, sendLink } from '../../test/support/domains/payment-links.ts'
import { startWithoutReportRounds } from '../../test/support/domains/reports.ts'
import { openWalletShop } from '../../test/support/domains/wallet.ts'
import { openShop } from '../../test/support/shop.ts'

const railyard = await startWithoutReportRounds()
const shop = await openShop(railyard)
const { createBuyer, everythingOf } = erasureActions(railyard, shop)

describe('the erasure of a transaction', () => {
  test('a transaction whose buyer was never stored is erased at once', async () => {
    const payment = await shop.sold(10_00, { buyer: { billing_details }, metadata: { note: ADA } })
    const path = `/transactions/${payment.id}/erasure`
    expect((await shop.get(path)).status).toBe(404)
    const answer = await shop.post(`/transactions/${payment.id}/erase`)
    const erasure = {
      type: 'transaction-erasure',
      transaction_id: payment.id,
      merchant_account_id: shop.account,
      status: 'succeeded',
    }
    expect(answer).toMatchObject({ status: 202, body: erasure })
    expect((await shop.get(path)).body).toEqual(erasure)
    expect(await payment.read()).toMatchObject({
      status: 'capture_succeeded',
      captured_amount: 10_00,
      buyer: null,
      metadata: null,
    })
    expect(await everythingOf(payment.id)).not.toContain(ADA)
    expect((await shop.post(`/transactions/${payment.id}/erase`)).body).toEqual(erasure)
  })

  test('the erasure of a transaction waits while an operation is under way', async () => {
    const wallet = await openWalletShop(railyard)
    const payment = await wallet.asked(10_00, { buyer: { billing_details } })
    expect((await wallet.post(`/transactions/${payment.id}/erase`)).body.status).toBe('pending')
    await payment.cancel()
    await railyard.erasing.runOnce()
    expect((await wallet.get(`/transactions/${payment.id}/erasure`)).body.status).toBe('succeeded')
    expect(await everythingOf(payment.id, wallet)).not.toContain(ADA)
  })

  test('the erasure of a transaction includes the payment that renewed its authorization', async () => {
    const payment = await shop.authorized(10_00, { buyer: { billing_details }, metadata: { note: ADA } })
    railyard.clock.advance(8 * 24 * 60 * MINUTE)
    const renewed = (await payment.capture({ reauthorize_if_authorization_expired: true })).body
    expect(renewed).toMatchObject({ reauthorized_from_transaction_id: payment.id, metadata: { note: ADA } })
    expect((await shop.post(`/transactions/${payment.id}/erase`)).body.status).toBe('succeeded')
    await railyard.erasing.runOnce()
    expect((await shop.get(`/transactions/${renewed.id}/erasure`)).body.status).toBe('succeeded')
    expect(await everythingOf(renewed.id)).not.toContain(ADA)
  })

  test.each(['a guest', 'a stored buyer'])(
    'the erasure of a transaction includes the events of its payment link, for %s',
    async (whose) => {
      const other = await openShop(railyard)
      const buyer =
        whose === 'a guest' ? { buyer: { billing_details } } : { buyer_id: (await createBuyer(other)).id }
      const link = await sendLink(railyard, other, { ...minimalLink, ...buyer, metadata: { note: ADA } })
      await link.pay()
      const { id } = (await other.get('/transactions')).body.items[0]
      const countPersonalEvents = async () => {
        const rows = await railyard.world.db
          .selectFrom('events')
          .selectAll()
          .where('merchant_account_id', '=', other.account)
          .execute()
        return rows.filter(
          ({ name, target }) => name.startsWith('payment-link.') && JSON.stringify(target).includes(ADA),
        ).length
      }
      expect(await countPersonalEvents()).toBe(3)
      expect((await other.post(`/transactions/${id}/erase`)).body.status).toBe('succeeded')
      expect(await countPersonalEvents()).toBe(0)
    },
  )

  test('the erasure of a transaction includes the answer to the platform that delegated its card', async () => {
    const platform = openPlatform(railyard, shop)
    const headers = { 'idempotency-key': randomUUID() }
    const expires_at = new Date(railyard.clock.now() + MINUTE).toISOString()
    const delegation = { allowance: { expires_at }, more: { metadata: { note: ADA } } }
    const token = (await platform.delegate(delegation, headers)).body.id
    const payment_method = { method: 'delegated-payment', token, checkout_session_id: 'csn_1' }
    const { id } = (await shop.pay(10_00, { payment_method })).body
    const answers = async () =>
      JSON.stringify(
        await railyard.world.db
          .selectFrom('idempotency_keys')
          .select('answer')
          .where('merchant_account_id', '=', shop.account)
          .where('representation', '=', 'delegated-payment')
          .execute(),
      )
    expect(await answers()).toContain(ADA)
    expect((await shop.post(`/transactions/${id}/erase`)).body.status).toBe('succeeded')
    expect(await answers()).not.toContain(ADA)
    const again = await platform.delegate(delegation, headers)
    expect(again).toMatchObject({ status: 201, body: { id: token, metadata: {} } })
  })

  test('the erasure of an unknown transaction is a 404', async () => {
    expect((await shop.post(`/transactions/${randomUUID()}/erase`)).status).toBe(404)
  })
})
