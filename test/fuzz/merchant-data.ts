import { addAntiFraudService } from '../support/domains/anti-fraud.ts'
import { addGiftCardService, newGiftCard } from '../support/domains/gift-cards.ts'
import { openedIncident, watch } from '../support/domains/monitoring.ts'
import { withNetworkTokens } from '../support/domains/network-tokens.ts'
import { payoutOf } from '../support/domains/payouts.ts'
import { scenarioOf, threeDSConfiguration } from '../support/domains/three-d-secure-configuration.ts'
import { type Answer, card, mockCardService, type TestRailyard } from '../support/railyard.ts'
import { roleIds } from '../support/roles.ts'

type Merchant = Awaited<ReturnType<TestRailyard['merchant']>>

/** A merchant with one of every resource, each with the same word in its texts. */
export interface MerchantData {
  merchant: Merchant
  /** The ids of existing resources, by the names of parameters and members. */
  known: Record<string, unknown>
}

/** The created resource; throws if the creation failed. */
export const created = ({ status, body }: Answer): Answer['body'] => {
  if (status >= 300) throw new Error(`what the test needs was not made: ${status} ${JSON.stringify(body)}`)
  return body
}

/** Creates a merchant's data with `word` in every text, so that it is recognized wherever it appears. */
export async function createMerchantData(railyard: TestRailyard, word: string): Promise<MerchantData> {
  const merchant = await railyard.merchant({
    settings: withNetworkTokens({ display_name: word, account_updater_enabled: true }),
  })
  const { account, paymentServiceId } = merchant
  const post = async (path: string, body: unknown) => created(await merchant.post(path, body))
  const asAdmin = async (path: string, body: unknown) =>
    created(await railyard.admin.post(path, body, { 'x-svc-merchant-account-id': account }))
  const name = { display_name: word }

  const buyer = await post('/buyers', {
    ...name,
    external_identifier: word,
    billing_details: { first_name: word, email_address: `${word}@example.com` },
  })
  const shipping = await post(`/buyers/${buyer.id}/shipping-details`, { first_name: word })
  const giftCardService = await addGiftCardService(railyard, merchant, name)
  const antiFraudService = await addAntiFraudService(railyard, merchant, { ...name, active: false })
  const money = {
    currency: 'USD',
    payment_method: card,
    metadata: { word },
    description: word,
    external_identifier: word,
    buyer_id: buyer.id,
  }
  const transaction = await post('/transactions', { ...money, amount: 10_00, intent: 'capture' })
  await post('/transactions', { ...money, amount: 20_00 })
  const refund = await post(`/transactions/${transaction.id}/refunds`, { amount: 1_00, reason: word })
  const captures = await merchant.get(`/transactions/${transaction.id}/captures`)
  const payout = await post(
    '/payouts',
    payoutOf(paymentServiceId, { buyer: { ...name, external_identifier: `${word}-2` } }),
  )
  const giftCard = await post('/gift-cards', { ...newGiftCard(), buyer_id: buyer.id })
  const { number, expiration_date } = card
  const method = await post('/payment-methods', {
    number,
    expiration_date,
    buyer_id: buyer.id,
    external_identifier: word,
  })
  const networkToken = await post(`/payment-methods/${method.id}/network-tokens`, {
    merchant_initiated: false,
    is_subsequent_payment: false,
  })
  const keeper = await asAdmin(
    '/payment-services',
    mockCardService({ ...name, open_loop: false, payment_method_tokenization_enabled: true }),
  )
  const tokenOfService = { payment_service_id: keeper.id, redirect_url: 'https://shop.example' }
  const serviceToken = await post(`/payment-methods/${method.id}/payment-service-tokens`, tokenOfService)
  const session = await post('/checkout/sessions', { metadata: { word } })
  const link = await post('/payment-links', {
    amount: 10_00,
    currency: 'USD',
    country: 'US',
    metadata: { word },
  })
  const wallet = await post('/digital-wallets', {
    provider: 'apple',
    merchant_name: word,
    merchant_url: 'https://shop.example',
    accept_terms_and_conditions: true,
  })
  const certificate = await post(`/digital-wallets/${wallet.id}/certificates`, {
    purpose: 'payment-processing',
  })
  const configuration = await post(
    `/merchant-accounts/${account}/three-ds-configurations`,
    threeDSConfiguration({ merchant_name: word }),
  )
  const scenario = await post('/three-ds-scenarios', scenarioOf({ amount: 1_00 }))
  const rule = await post('/flows/card-transaction/rules', {
    ...name,
    action: 'decline-early',
    condition: { field: 'metadata.word', operator: 'is', value: `not ${word}` },
  })
  const subscription = await post('/webhook-subscriptions', { url: `https://${word}.example/hook` })
  const report = await post('/reports', {
    name: word,
    schedule: 'once',
    schedule_enabled: false,
    spec: { model: 'transactions', params: { fields: ['id'] } },
  })
  const keyPair = await post('/api-key-pairs', {
    ...name,
    role_ids: roleIds('processing'),
    merchant_account_ids: [account],
  })
  const metric = await watch(merchant, name)
  const preset = await post('/metrics-explorer/authorization/presets', {
    ...name,
    metric: 'transactions',
    filters: { datetime_range: 'P1D/now' },
  })

  return {
    merchant,
    known: {
      merchant_account_id: account,
      payment_service_id: paymentServiceId,
      buyer_id: buyer.id,
      shipping_details_id: shipping.id,
      gift_card_service_id: giftCardService,
      anti_fraud_service_id: antiFraudService.id,
      transaction_id: transaction.id,
      refund_id: refund.id,
      capture_id: captures.body.items[0].id,
      payout_id: payout.id,
      gift_card_id: giftCard.id,
      payment_method_id: method.id,
      network_token_id: networkToken.id,
      payment_service_token_id: serviceToken.id,
      session_id: session.id,
      checkout_session_id: session.id,
      payment_link_id: link.id,
      digital_wallet_id: wallet.id,
      certificate_id: certificate.id,
      three_ds_configuration_id: configuration.id,
      three_ds_scenario_id: scenario.id,
      rule_id: rule.id,
      subscription_id: subscription.id,
      report_id: report.id,
      report_execution_id: report.latest_execution.id,
      api_key_pair_id: keyPair.id,
      metric_id: metric,
      incident_id: await openedIncident(railyard, merchant, metric),
      preset_id: preset.id,
    },
  }
}
