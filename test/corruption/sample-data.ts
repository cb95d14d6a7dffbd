import { randomUUID } from 'node:crypto'
import { expect } from 'vitest'
import { waitUntilReadable } from '../../src/database/logs/event-log.ts'
import { addAntiFraudService, buyerScreenedAs } from '../support/domains/anti-fraud.ts'
import { bnplService, SHOP_URL } from '../support/domains/bnpl.ts'
import { addGiftCardService, newGiftCard } from '../support/domains/gift-cards.ts'
import { sendLink } from '../support/domains/payment-links.ts'
import { payoutOf } from '../support/domains/payouts.ts'
import { cardReport, DAY_MS, readReport, sourceOf } from '../support/domains/reconciliation.ts'
import { openWalletShop } from '../support/domains/wallet.ts'
import { injectFaults } from '../support/provider.ts'
import type { TestRailyard } from '../support/railyard.ts'
import { openShop, type Payment } from '../support/shop.ts'

/** The names that the SQL of a corruption may use: ids of resources, accounts and a payment service. */
export type Names = Awaited<ReturnType<typeof createSampleData>>
export type Name = keyof Names

const key = (name: string) => ({ 'idempotency-key': `corruption-${name}` })

/**
 * Creates a merchant with payments of every kind and in every state, by name, and another one whose payments
 * are screened.
 */
export async function createSampleData(railyard: TestRailyard) {
  const shop = await openWalletShop(railyard)
  const header = { 'x-svc-merchant-account-id': shop.account }
  await railyard.admin.put(`/merchant-accounts/${shop.account}`, { over_capture_amount: 10_00 })
  expect(await railyard.admin.post('/payment-services', bnplService(), header)).toMatchObject({ status: 201 })
  await addGiftCardService(railyard, shop)
  const card = async (amount: number, more = {}) => created(await shop.pay(amount, more))
  const done = (answer: { status: number }) => expect(answer.status).toBeLessThan(300)
  const reauthorizing = { reauthorize_if_authorization_expired: true }

  const settled = created(await shop.pay(40_00, { intent: 'capture' }, key('oldest')))
  done(await shop.payment(settled).refund({ amount: 10_00 }))
  const disputed = await card(570001, { intent: 'capture' })
  const disputeWon = await card(570002, { intent: 'capture' })
  const renewed = await card(41_00)
  railyard.clock.advance(9 * DAY_MS)
  const report = await cardReport(railyard, shop.paymentServiceId)
  await readReport(railyard, await sourceOf(railyard, shop.account, shop.paymentServiceId), report)
  const renewal: string = (await shop.payment(renewed).capture(reauthorizing)).body.id

  // the chain of the journal has several links
  await waitUntilReadable(railyard.world)
  await railyard.sealing.runOnce()

  const authorized = await card(42_00)
  const another = await card(43_00)
  const captured = created(await shop.pay(44_00, { intent: 'capture' }, key('captured')))
  const parted = await card(45_00)
  done(await shop.payment(parted).capture({ amount: 20_00, final: false }))
  done(await shop.payment(parted).capture({ amount: 10_00, final: false }))
  const overCaptured = await card(46_00)
  done(await shop.payment(overCaptured).capture({ amount: 50_00 }))
  const refunded = await card(47_00, { intent: 'capture' })
  done(await shop.payment(refunded).refund({ amount: 7_00 }, key('refunded')))
  const contested = await card(64_00, { intent: 'capture' })
  done(await shop.post(`/sandbox/transactions/${contested}/simulate`, { event: 'dispute_notified' }))
  const voided = await card(48_00)
  done(await shop.payment(voided).void())
  const declined = created(await shop.pay(200001))
  const incremented = await card(49_00)
  done(await shop.payment(incremented).increment(5_00))
  const corrected = await card(51_00)
  done(await shop.payment(corrected).correct({ status: 'capture_succeeded', captured_amount: 30_00 }))
  const refusedUnasked = created(await shop.pay(52_00, { currency: 'CHF' }))
  const stored = created(await shop.pay(53_00, { store: true }))
  const storedByToken = await card(53_01, {
    store: true,
    payment_method: {
      method: 'provider-token',
      payment_service_id: shop.paymentServiceId,
      token: 'tok_visa',
    },
  })

  const gift = { ...newGiftCard('09000'), amount: 10_00 }
  const shared = await card(54_00, { intent: 'capture', gift_cards: [gift] })
  done(await shop.payment(shared).refundAll())
  const giftOnly = created(
    await shop.post('/transactions', {
      amount: 10_00,
      currency: 'EUR',
      intent: 'capture',
      gift_cards: [{ ...newGiftCard('09000'), amount: 10_00 }],
    }),
  )
  const undone = await card(55_00, { gift_cards: [{ ...newGiftCard('00100'), amount: 10_00 }] })

  const asked = (await shop.asked(56_00)).id
  const approved = (await shop.sold(57_00)).id
  const bnpl = created(
    await shop.post('/transactions', {
      amount: 58_00,
      currency: 'EUR',
      country: 'DE',
      payment_method: { method: 'bnpl', country: 'DE', currency: 'EUR', redirect_url: SHOP_URL },
    }),
  )

  const payout: string = (await shop.post('/payouts', payoutOf(shop.paymentServiceId), key('payout'))).body.id
  const paid = await sendLink(railyard, shop)
  const paidThroughLink: string = (await paid.pay()).id
  const open = await sendLink(railyard, shop)
  const issuance = await shop.post('/gift-cards/issuances', {
    theme: 'birthday',
    amount: 25_00,
    currency: 'EUR',
  })

  const fraudShop = await openShop(railyard)
  const fraud = await addAntiFraudService(railyard, fraudShop)
  const reviewed = async (amount: number) =>
    created(await fraudShop.pay(amount, { intent: 'capture', buyer: buyerScreenedAs('review') }))
  const held = await reviewed(60_00)
  const accepted = await reviewed(61_00)
  done(await fraud.decides(accepted, 'ACCEPT'))
  const rejected = await reviewed(62_00)
  done(await fraud.decides(rejected, 'REJECT'))

  const pending = await card(500003)
  done(await shop.payment(pending).capture())
  // recovery would decide what stays open from here on
  await railyard.recovery.stop()
  await injectFaults(
    railyard,
    { operation: 'capture', kind: 'lost' },
    { operation: 'refund', kind: 'lost' },
    { operation: 'authorize', kind: 'lost' },
    { operation: 'close', kind: 'outage' },
  )
  const uncertain = await card(63_00)
  const capturing: Payment = shop.payment(another)
  await capturing.capture()
  await shop.payment(overCaptured).refund({ amount: 1_00 })
  await injectFaults(railyard)

  return {
    account: shop.account,
    /** The id of nothing. */
    nothing: randomUUID(),
    fraudAccount: fraudShop.account,
    service: shop.paymentServiceId,
    walletService: shop.walletServiceId,
    settled,
    disputed,
    disputeWon,
    renewed,
    renewal,
    authorized,
    /** Its capture is unknown. */
    capturing: another,
    captured,
    parted,
    overCaptured,
    refunded,
    voided,
    declined,
    incremented,
    corrected,
    refusedUnasked,
    stored,
    storedByToken,
    shared,
    giftOnly,
    undone,
    asked,
    approved,
    bnpl,
    payout,
    paidThroughLink,
    paidLink: paid.id,
    openLink: open.id,
    issuance: String(issuance.body.id),
    held,
    accepted,
    rejected,
    pending,
    /** Its dispute has taken everything. */
    contested,
    /** Whether it was authorized is unknown. */
    uncertain,
  }
}

function created({ status, body }: { status: number; body: { id: string } }): string {
  expect({ status, body }).toMatchObject({ status: 201 })
  return body.id
}
