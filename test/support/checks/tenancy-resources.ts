import { randomUUID } from 'node:crypto'
import { openCheckout } from '../domains/agentic-commerce.ts'
import { addAntiFraudService } from '../domains/anti-fraud.ts'
import { addGiftCardService, newGiftCard } from '../domains/gift-cards.ts'
import { openedPageIncident } from '../domains/hosted-pages.ts'
import { openedIncident, watch } from '../domains/monitoring.ts'
import { payoutOf } from '../domains/payouts.ts'
import { scenarioOf, threeDSConfiguration } from '../domains/three-d-secure-configuration.ts'
import { card, mockCardService, type TestRailyard } from '../railyard.ts'
import { roleIds } from '../roles.ts'
import { appleWallet, bodies, newReport, newUser, paymentLink, refusal } from './tenancy-requests.ts'

type Merchant = Awaited<ReturnType<TestRailyard['merchant']>>

/** Creates one of every resource of a merchant. Returns their ids, by the name of the path parameter. */
export async function createEveryResource(
  railyard: TestRailyard,
  merchant: Merchant,
): Promise<Record<string, string>> {
  const payment = await merchant.post('/transactions', {
    amount: 10_00,
    currency: 'USD',
    payment_method: card,
    intent: 'capture',
  })
  const transaction = `/transactions/${payment.body.id}`
  await merchant.post(`/sandbox${transaction}/simulate`, { event: 'dispute_notified', amount: 1_00 })
  const disputes = await merchant.get(`${transaction}/disputes`)
  const refund = await merchant.post(`${transaction}/refunds`, { amount: 1_00 })
  const captures = await merchant.get(`${transaction}/captures`)
  const payout = await merchant.post('/payouts', payoutOf(merchant.paymentServiceId))
  const wallet = await merchant.post('/digital-wallets', appleWallet)
  const certificate = await merchant.post(`/digital-wallets/${wallet.body.id}/certificates`, {
    purpose: 'payment-processing',
  })
  const session = await merchant.post('/checkout/sessions', {})
  const checkout = await openCheckout(merchant, railyard.clock.now())
  const buyer = await merchant.post('/buyers', {})
  const shipping = await merchant.post(`/buyers/${buyer.body.id}/shipping-details`, {})
  const giftCardService = await addGiftCardService(railyard, merchant)
  const antiFraudService = await addAntiFraudService(railyard, merchant, { active: false })
  const giftCard = await merchant.post('/gift-cards', { ...newGiftCard(), buyer_id: buyer.body.id })
  const method = await merchant.post('/payment-methods', {
    number: card.number,
    expiration_date: card.expiration_date,
    buyer_id: buyer.body.id,
  })
  const flags = { merchant_initiated: false, is_subsequent_payment: false }
  const networkToken = await merchant.post(`/payment-methods/${method.body.id}/network-tokens`, flags)
  const tokenizing = {
    display_name: 'Keeps cards',
    open_loop: false,
    payment_method_tokenization_enabled: true,
  }
  const keeper = await railyard.admin.post('/payment-services', mockCardService(tokenizing), {
    'x-svc-merchant-account-id': merchant.account,
  })
  const tokenOfService = { payment_service_id: keeper.body.id, redirect_url: 'https://shop.example' }
  const serviceToken = await merchant.post(
    `/payment-methods/${method.body.id}/payment-service-tokens`,
    tokenOfService,
  )
  const configuration = await merchant.post(
    `/merchant-accounts/${merchant.account}/three-ds-configurations`,
    threeDSConfiguration(),
  )
  const scenario = await merchant.post('/three-ds-scenarios', scenarioOf({ amount: 1_00 }))
  const rule = await merchant.post('/flows/card-transaction/rules', refusal)
  const colleague = await railyard.admin.post('/users', {
    ...newUser(),
    merchant_account_ids: [merchant.account],
  })
  const subscription = await merchant.post('/webhook-subscriptions', { url: 'https://shop.example/hook' })
  const report = await merchant.post('/reports', newReport)
  const keyPair = await merchant.post('/api-key-pairs', {
    display_name: 'B’s',
    role_ids: roleIds('processing'),
    merchant_account_ids: [merchant.account],
  })
  const link = await merchant.post('/payment-links', paymentLink)
  const metric = await watch(merchant)
  const preset = await merchant.post(
    '/metrics-explorer/authorization/presets',
    bodies['create_metrics_explorer_preset'],
  )
  // before the policy, which asks for approval of such changes
  const spendingLimit = await merchant.post('/spending-limits', {
    subject: { type: 'api-key-pair', id: keyPair.body.id },
    operation: 'refund',
    currency: 'EUR',
    per_day: 1,
  })
  const policy = await merchant.post('/approval-policies', { display_name: 'B’s', operations: ['payout'] })
  const proposal = await merchant.post('/proposals', {
    method: 'POST',
    path: `/transactions/${payment.body.id}/refunds`,
    reason: 'B’s',
  })
  const savedView = await merchant.post('/saved-views', bodies['create_saved_view'])
  return {
    approval_policy_id: policy.body.id,
    proposal_id: proposal.body.id,
    spending_limit_id: spendingLimit.body.id,
    saved_view_id: savedView.body.id,
    metric_id: metric,
    incident_id: await openedIncident(railyard, merchant, metric),
    page_incident_id: await openedPageIncident(railyard, merchant),
    preset_id: preset.body.id,
    user_id: colleague.body.id,
    report_id: report.body.id,
    report_execution_id: report.body.latest_execution.id,
    subscription_id: subscription.body.id,
    // does not exist, but its subscription is B's
    delivery_id: randomUUID(),
    three_ds_configuration_id: configuration.body.id,
    three_ds_scenario_id: scenario.body.id,
    flow: 'card-transaction',
    rule_id: rule.body.id,
    api_key_pair_id: keyPair.body.id,
    payment_service_token_id: serviceToken.body.id,
    network_token_id: networkToken.body.id,
    payment_method_id: method.body.id,
    merchant_account_id: merchant.account,
    payment_service_id: merchant.paymentServiceId,
    transaction_id: payment.body.id,
    payout_id: payout.body.id,
    dispute_id: disputes.body.items[0].id,
    refund_id: refund.body.id,
    capture_id: captures.body.items[0].id,
    digital_wallet_id: wallet.body.id,
    certificate_id: certificate.body.id,
    session_id: session.body.id,
    checkout_session_id: checkout.id,
    // people's own: a key pair has none
    passkey_id: randomUUID(),
    buyer_id: buyer.body.id,
    shipping_details_id: shipping.body.id,
    gift_card_service_id: giftCardService,
    anti_fraud_service_id: antiFraudService.id,
    gift_card_id: giftCard.body.id,
    // does not exist, but its transaction is B's
    settlement_id: randomUUID(),
    payment_link_id: link.body.id,
  }
}
