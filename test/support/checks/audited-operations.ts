import { expect } from 'vitest'
import { mockAntiFraudService } from '../domains/anti-fraud.ts'
import { signedByApple } from '../domains/apple-certificate.ts'
import { mockGiftCardService, newGiftCard } from '../domains/gift-cards.ts'
import { authRateMetric, openedIncident, watch } from '../domains/monitoring.ts'
import { storeCard } from '../domains/network-tokens.ts'
import { payoutOf } from '../domains/payouts.ts'
import { transactionsReport } from '../domains/reports.ts'
import { scenarioOf, threeDSConfiguration } from '../domains/three-d-secure-configuration.ts'
import { type Client, card, mockCardService, type TestRailyard } from '../railyard.ts'
import { roleIds } from '../roles.ts'

/** A request that succeeds: its path and its body. */
export type Request = [path: string, body?: unknown]

/**
 * What a successful request leaves in the audit log: `action type` of each entry; or why there is nothing.
 */
export interface Audited {
  ask: () => Promise<Request> | Request
  leaves: readonly string[] | { nothing: string }
}

/**
 * Every operation that changes something, or looks as if it did. `shop` has network tokens and an account
 * updater.
 */
export function auditedOperations(railyard: TestRailyard, shop: Client): Record<string, Audited> {
  let count = 0
  const fresh = (name: string) => `${name}-${++count}-${shop.account}`
  const made = async (path: string, body: unknown): Promise<string> => {
    const answer = await shop.post(path, body)
    expect({ path, body: answer.body, status: answer.status }).toMatchObject({ status: 201 })
    return answer.body.id
  }
  const own = `/merchant-accounts/${shop.account}`
  const buyer = () => made('/buyers', {})
  const shipping = async () => {
    const id = await buyer()
    return `/buyers/${id}/shipping-details/${await made(`/buyers/${id}/shipping-details`, {})}`
  }
  const pays = (amount: number, more: object = {}) =>
    made('/transactions', { amount, currency: 'EUR', payment_method: card, ...more })
  const authorized = async () => `/transactions/${await pays(10_00)}`
  const sold = async () => `/transactions/${await pays(10_00, { intent: 'capture' })}`
  const method = async () => `/payment-methods/${await storeCard(shop)}`
  const flags = { merchant_initiated: false, is_subsequent_payment: false }
  const networkToken = async () => {
    const at = `${await method()}/network-tokens`
    return `${at}/${await made(at, flags)}`
  }
  const serviceToken = async (): Promise<Request> => {
    const keeper = await made(
      '/payment-services',
      mockCardService({ open_loop: false, payment_method_tokenization_enabled: true }),
    )
    return [
      `${await method()}/payment-service-tokens`,
      { payment_service_id: keeper, redirect_url: 'https://shop.example' },
    ]
  }
  const session = () => made('/checkout/sessions', {})
  const wallet = async (provider: string) => {
    const { items } = (await shop.get('/digital-wallets')).body
    const there = items.find((each: { provider: string }) => each.provider === provider)
    return `/digital-wallets/${there?.id ?? (await made('/digital-wallets', walletOf(provider)))}`
  }
  const certificate = async () => {
    const at = `${await wallet('apple')}/certificates`
    return `${at}/${await made(at, { purpose: 'payment-processing' })}`
  }
  const rules = '/flows/card-transaction/rules'
  const rule = () => made(rules, refusal)
  const giftCardService = async () => {
    for (const { id } of (await shop.get('/gift-card-services')).body.items)
      await shop.delete(`/gift-card-services/${id}`)
    return made('/gift-card-services', mockGiftCardService())
  }
  const scenario = async () =>
    `/three-ds-scenarios/${await made('/three-ds-scenarios', scenarioOf({ amount: 1_00 }))}`
  const configuration = async () =>
    `${own}/three-ds-configurations/${await made(`${own}/three-ds-configurations`, configurationOf(fresh('order')))}`
  const paymentService = async () => `/payment-services/${await made('/payment-services', mockCardService())}`
  const antiFraud = async () =>
    `/anti-fraud-services/${await made('/anti-fraud-services', mockAntiFraudService({ active: false }))}`
  const subscription = async () => `/webhook-subscriptions/${await made('/webhook-subscriptions', hook)}`
  const link = { amount: 1_00, country: 'DE', currency: 'EUR' }
  const paymentLink = async () => `/payment-links/${await made('/payment-links', link)}`
  const presets = '/metrics-explorer/authorization/presets'
  const preset = async () => `${presets}/${(await shop.post(presets, question)).body.id}`
  const pair = () => ({ display_name: 'Backend', role_ids: roleIds('administrator') })
  const keyPair = async () => `/api-key-pairs/${await made('/api-key-pairs', pair())}`
  const metric = async () => `/monitoring/metrics/${await watch(shop)}`
  const incident = async () =>
    `/monitoring/incidents/${await openedIncident(railyard, shop, await watch(shop))}`
  const asks = (leaves: Audited['leaves'], ask: Audited['ask']): Audited => ({ leaves, ask })
  const on = (leaves: string, path: () => Promise<string>, more = '', body?: unknown) =>
    asks([leaves], async () => [`${await path()}${more}`, body])
  const nothing = (reason: string, ask: Audited['ask']) => asks({ nothing: reason }, ask)
  const typed = 'checkout sessions hold what a buyer types'
  const asked = 'nothing of ours changes'

  const newUser = () => ({
    email_address: `${fresh('tess')}@example.com`,
    name: 'Tess',
    role_ids: ['6f0c5e1a-0003-4d7b-9c11-5d3c2f6a7b03'],
  })
  const user = async () => `/users/${await made('/users', newUser())}`

  return {
    create_user: asks(['created user'], () => ['/users', newUser()]),
    update_user: on('updated user', user, '', { name: 'Tess D.' }),
    delete_user: on('deleted user', user),
    create_user_invitation: on('updated user', user, '/invitation'),
    create_merchant_account: asks(['created merchant-account'], () => [
      '/merchant-accounts',
      { id: fresh('m').slice(0, 50), display_name: 'Another' },
    ]),
    update_merchant_account: asks(['updated merchant-account'], () => [own, { display_name: 'Renamed' }]),
    create_three_ds_configuration: asks(['created merchant-account.three-ds-configuration'], () => [
      `${own}/three-ds-configurations`,
      configurationOf(fresh('order')),
    ]),
    edit_three_ds_configuration: on('updated merchant-account.three-ds-configuration', configuration, '', {
      merchant_name: 'Renamed',
    }),
    delete_three_ds_configuration: on('deleted merchant-account.three-ds-configuration', configuration),
    create_three_ds_scenario: asks(['created three-d-secure-scenario'], () => [
      '/three-ds-scenarios',
      scenarioOf({ amount: 1_00 }),
    ]),
    update_three_ds_scenario: on('updated three-d-secure-scenario', scenario, '', {
      conditions: { amount: 2_00 },
    }),
    delete_three_ds_scenario: on('deleted three-d-secure-scenario', scenario),

    add_buyer: asks(['created buyer'], () => ['/buyers', { external_identifier: fresh('buyer') }]),
    update_buyer: on('updated buyer', async () => `/buyers/${await buyer()}`, '', { display_name: 'Ada' }),
    delete_buyer: on('deleted buyer', async () => `/buyers/${await buyer()}`),
    erase_buyer: asks(['created buyer-erasure', 'deleted buyer'], async () => [
      `/buyers/${await buyer()}/erase`,
    ]),
    erase_transaction: asks(['created transaction-erasure'], async () => [`${await authorized()}/erase`]),
    add_buyer_shipping_details: on(
      'updated buyer',
      async () => `/buyers/${await buyer()}/shipping-details`,
      '',
      { first_name: 'Ada' },
    ),
    update_buyer_shipping_details: on('updated buyer', shipping, '', { first_name: 'Ada' }),
    delete_buyer_shipping_details: on('updated buyer', shipping),

    create_payout: asks(['created payout'], async () => [
      '/payouts',
      payoutOf(await made('/payment-services', mockCardService())),
    ]),
    create_monitoring_metric: asks(['created monitoring.metric'], () => [
      '/monitoring/metrics',
      authRateMetric(),
    ]),
    update_monitoring_metric: on('updated monitoring.metric', metric, '', {
      display_name: 'M',
      alerting_policy: null,
      incident_policy: null,
    }),
    delete_monitoring_metric: on('deleted monitoring.metric', metric),
    update_monitoring_incident: on('updated monitoring.incident', incident, '', { notes: 'Seen' }),

    create_payment_service: asks(['created payment-service'], () => ['/payment-services', mockCardService()]),
    update_payment_service: on('updated payment-service', paymentService, '', { display_name: 'Renamed' }),
    delete_payment_service: on('deleted payment-service', paymentService),
    verify_payment_service_credentials: nothing(asked, () => [
      '/payment-services/verify',
      { payment_service_definition_id: 'mock-card', fields: [{ key: 'merchant_id', value: 'x' }] },
    ]),
    create_payment_service_definition_session: nothing(asked, () => [
      '/payment-service-definitions/mock-card/sessions',
      {},
    ]),
    create_payment_service_session: nothing(asked, async () => [`${await paymentService()}/sessions`, {}]),
    create_gift_card_service: asks(['created gift-card-service'], async () => {
      await shop.delete(`/gift-card-services/${await giftCardService()}`)
      return ['/gift-card-services', mockGiftCardService()]
    }),
    update_gift_card_service: on(
      'updated gift-card-service',
      async () => `/gift-card-services/${await giftCardService()}`,
      '',
      {
        display_name: 'G',
      },
    ),
    delete_gift_card_service: on(
      'deleted gift-card-service',
      async () => `/gift-card-services/${await giftCardService()}`,
    ),
    create_anti_fraud_service: asks(['created anti-fraud-service'], () => [
      '/anti-fraud-services',
      mockAntiFraudService({ active: false }),
    ]),
    update_anti_fraud_service: on('updated anti-fraud-service', antiFraud, '', { display_name: 'Renamed' }),
    delete_anti_fraud_service: on('deleted anti-fraud-service', antiFraud),

    create_gift_card: asks(['created gift-card'], async () => {
      await giftCardService()
      return ['/gift-cards', newGiftCard()]
    }),
    delete_gift_card: asks(['deleted gift-card'], async () => {
      await giftCardService()
      return [`/gift-cards/${await made('/gift-cards', newGiftCard())}`]
    }),
    activate_gift_card: asks(['created gift-card'], async () => {
      await giftCardService()
      return ['/gift-cards/activations', { number: newGiftCard().number, amount: 10_00, currency: 'EUR' }]
    }),
    issue_gift_card: asks(['created gift-card'], async () => {
      await giftCardService()
      return ['/gift-cards/issuances', { theme: 'birthday', amount: 1_00, currency: 'EUR' }]
    }),
    list_gift_card_balances: nothing(asked, async () => {
      await giftCardService()
      return ['/gift-cards/balances', { items: [newGiftCard()] }]
    }),

    add_report: asks(['created report'], () => ['/reports', transactionsReport()]),
    update_report: on(
      'updated report',
      async () => `/reports/${await made('/reports', transactionsReport())}`,
      '',
      { name: 'Renamed' },
    ),
    create_report_execution_url: nothing('it asks for what is there', async () => {
      const report = await made('/reports', transactionsReport())
      await railyard.reports.runOnce()
      const { items } = (await shop.get(`/reports/${report}/executions`)).body
      return [`/reports/${report}/executions/${items[0].id}/url`, {}]
    }),

    create_transaction: asks(['created transaction'], () => [
      '/transactions',
      { amount: 1_00, currency: 'EUR', payment_method: card },
    ]),
    update_transaction: on('updated transaction', authorized, '', { external_identifier: fresh('order') }),
    capture_transaction: on('captured transaction', authorized, '/capture', {}),
    void_transaction: on('voided transaction', authorized, '/void'),
    // 540001: the sandbox's authorization stays pending
    cancel_transaction: on(
      'canceled transaction',
      async () => `/transactions/${await pays(540_001)}`,
      '/cancel',
    ),
    increment_transaction_authorization: on('updated transaction', authorized, '/authorization/increment', {
      amount: 1_00,
    }),
    create_transaction_refund: on('created refund', sold, '/refunds', { amount: 1_00 }),
    create_full_transaction_refund: on('created refund', sold, '/refunds/all', {}),
    sync_transaction: nothing('it asks how the payment is', async () => [`${await authorized()}/sync`]),

    configure_digital_wallet: asks(['created digital-wallet'], () => [
      '/digital-wallets',
      walletOf('google'),
    ]),
    update_digital_wallet: on('updated digital-wallet', () => wallet('apple'), '', {
      merchant_name: 'Renamed',
    }),
    delete_digital_wallet: on('deleted digital-wallet', () => wallet('google')),
    register_digital_wallet_domain: on('updated digital-wallet', () => wallet('apple'), '/domains', {
      domain_name: 'more.example',
    }),
    unregister_digital_wallet_domain: asks(['updated digital-wallet'], async () => {
      const at = `${await wallet('apple')}/domains`
      await shop.post(at, { domain_name: 'less.example' })
      return [at, { domain_name: 'less.example' }]
    }),
    create_apple_pay_certificate: on('updated digital-wallet', () => wallet('apple'), '/certificates', {
      purpose: 'payment-processing',
    }),
    update_apple_pay_certificate: asks(['updated digital-wallet'], async () => {
      const at = `${await wallet('apple')}/certificates`
      const { id, certificate_signing_request } = (await shop.post(at, { purpose: 'payment-processing' }))
        .body
      return [
        `${at}/${id}`,
        { certificate: await signedByApple(certificate_signing_request, railyard.clock.now()) },
      ]
    }),
    delete_apple_pay_certificate: on('updated digital-wallet', certificate),
    create_google_pay_digital_wallet_session: nothing(asked, () => [
      '/digital-wallets/google/session',
      { origin_domain: 'shop.example' },
    ]),
    create_apple_pay_digital_wallet_session: nothing(asked, async () => {
      await shop.post(`${await wallet('apple')}/domains`, { domain_name: 'shop.example' })
      const validation_url = 'https://apple-pay-gateway.apple.com/paymentservices/startSession'
      return ['/digital-wallets/apple/session', { validation_url, domain_name: 'shop.example' }]
    }),
    create_click_to_pay_digital_wallet_session: nothing(asked, async () => {
      await wallet('click-to-pay')
      return ['/digital-wallets/click-to-pay/session', { checkout_session_id: await session() }]
    }),

    create_checkout_session: nothing(typed, () => ['/checkout/sessions', {}]),
    update_checkout_session: nothing(typed, async () => [
      `/checkout/sessions/${await session()}`,
      { amount: 1_00 },
    ]),
    delete_checkout_session: nothing(typed, async () => [`/checkout/sessions/${await session()}`]),
    update_checkout_session_fields: nothing(typed, async () => [
      `/checkout/sessions/${await session()}/fields`,
      { payment_method: card },
    ]),
    post_checkout_session_fields: nothing(typed, async () => [
      `/checkout/sessions/${await session()}/fields`,
      { payment_method: card },
    ]),
    get_checkout_session_card_details: nothing(asked, async () => [
      `/checkout/sessions/${await session()}/card-details`,
      { bin: '411111' },
    ]),
    list_payment_options: nothing(asked, () => ['/payment-options', {}]),

    create_payment_method: asks(['created payment-method'], () => [
      '/payment-methods',
      { number: card.number, expiration_date: card.expiration_date },
    ]),
    update_payment_method: on('updated payment-method', method, '', { expiration_date: '11/35' }),
    delete_payment_method: on('deleted payment-method', method),
    create_account_updater_job: asks(['updated payment-method', 'updated payment-method'], async () => [
      '/account-updater/jobs',
      { payment_method_ids: [await storeCard(shop), await storeCard(shop)] },
    ]),
    create_payment_method_network_token: on('updated payment-method', method, '/network-tokens', flags),
    create_payment_method_network_token_cryptogram: nothing(asked, async () => [
      `${await networkToken()}/cryptogram`,
      { merchant_initiated: false },
    ]),
    suspend_payment_method_network_token: on('updated payment-method', networkToken, '/suspend'),
    resume_payment_method_network_token: asks(['updated payment-method'], async () => {
      const at = await networkToken()
      await shop.post(`${at}/suspend`)
      return [`${at}/resume`]
    }),
    delete_payment_method_network_token: on('updated payment-method', networkToken),
    create_payment_method_payment_service_token: asks(['updated payment-method'], serviceToken),
    delete_payment_method_payment_service_token: asks(['updated payment-method'], async () => {
      const [at, body] = await serviceToken()
      return [`${at}/${await made(at, body)}`]
    }),

    create_flow_rule: asks(['created rule'], () => [rules, refusal]),
    replace_flow_rules: asks(['updated rule'], () => [
      rules,
      { items: [{ ...refusal, display_name: fresh('rule') }] },
    ]),
    update_flow_rule: on('updated rule', async () => `${rules}/${await rule()}`, '', {
      ...refusal,
      display_name: 'Renamed',
    }),
    delete_flow_rule: on('deleted rule', async () => `${rules}/${await rule()}`),
    delete_flow_rules_draft: asks(['deleted rule'], async () => {
      await rule()
      return [rules]
    }),
    publish_flow_rules: asks(['updated rule'], async () => {
      await rule()
      return [`${rules}/publish`, {}]
    }),
    replay_flow_rules: nothing(asked, () => [`${rules}/replay`, { rules: [] }]),

    create_metrics_explorer_preset: asks(['created metrics-explorer.preset'], () => [presets, question]),
    update_metrics_explorer_preset: on('updated metrics-explorer.preset', preset, '', {
      display_name: 'Renamed',
    }),
    delete_metrics_explorer_preset: on('deleted metrics-explorer.preset', preset),

    create_webhook_subscription: asks(['created webhook-subscription'], () => [
      '/webhook-subscriptions',
      hook,
    ]),
    update_webhook_subscription: on('updated webhook-subscription', subscription, '', { active: false }),
    rotate_webhook_subscription_secret: on('updated webhook-subscription', subscription, '/rotate-secret', {
      delta: 0,
    }),
    add_payment_link: asks(['created payment-link'], () => ['/payment-links', link]),
    expire_payment_link: on('updated payment-link', paymentLink, '/expire'),
    delete_webhook_subscription: on('deleted webhook-subscription', subscription),
    create_api_key_pair: asks(['created api-key-pair'], () => ['/api-key-pairs', pair()]),
    update_api_key_pair: on('updated api-key-pair', keyPair, '', { display_name: 'Renamed' }),
    delete_api_key_pair: on('deleted api-key-pair', keyPair),

    set_sandbox_faults: nothing('the faults are the sandbox’s', () => ['/sandbox/faults', { items: [] }]),
    // what happened elsewhere is no change of ours; that a report was read is
    simulate_transaction_event: asks(['created payment-service-report-file'], async () => [
      `/sandbox${await sold()}/simulate`,
      { event: 'settled' },
    ]),
    advance_sandbox_clock: nothing('the clock is the sandbox’s', () => ['/sandbox/clock/advance', { by: 1 }]),
    create_sandbox_apple_pay_token: nothing(asked, async () => {
      await wallet('apple')
      return ['/sandbox/wallets/apple/token', { amount: 1_00, currency: 'USD' }]
    }),
    create_sandbox_google_pay_token: nothing(asked, () => ['/sandbox/wallets/google/token', {}]),
  }
}

/** Operations that are not asked here, and why. */
export const unasked: Record<string, string> = {
  update_transaction_session: 'a buyer asks, with the token of the session',
  post_transaction_completion: 'it carries out what a buyer has approved, as its GET does',
  retry_webhook_delivery: 'what is subscribed to stays',
  replay_webhook_events: 'what is subscribed to stays',
  test_webhook_subscription: 'what is subscribed to stays',
  create_session: 'a person signs in: src/accounts/sign-in/sign-in-audit.test.ts',
  delete_current_session: 'a person signs out: src/accounts/sign-in/sign-in-audit.test.ts',
  accept_invitation: 'a person asks, with the token of the invitation: src/accounts/users/user.test.ts',
  update_own_user: 'a person asks: src/accounts/users/user.test.ts',
  create_own_totp: 'a person asks, and nothing counts until it is confirmed',
  confirm_own_totp: 'a person asks: src/accounts/users/user.test.ts',
  delete_own_totp: 'a person asks: src/accounts/users/user.test.ts',
}

const question = { display_name: 'A week', metric: 'transactions', filters: { datetime_range: 'P7D/now' } }
const hook = { url: 'https://shop.example/hook' }

const refusal = {
  display_name: 'None of these',
  action: 'decline-early',
  condition: { field: 'metadata.audit', operator: 'is', value: 'no' },
}

const configurationOf = (order: string) => threeDSConfiguration({ metadata: { order } })

const walletOf = (provider: string) => ({
  provider,
  merchant_name: 'Shop',
  merchant_url: 'https://shop.example',
  accept_terms_and_conditions: true,
})
