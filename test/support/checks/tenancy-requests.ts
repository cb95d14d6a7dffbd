import { randomUUID } from 'node:crypto'
import { cartOf } from '../domains/agentic-commerce.ts'
import { mockAntiFraudService } from '../domains/anti-fraud.ts'
import { delegationOf } from '../domains/delegated-payments.ts'
import { mockGiftCardService, newGiftCard } from '../domains/gift-cards.ts'
import { authRateMetric } from '../domains/monitoring.ts'
import { payoutOf } from '../domains/payouts.ts'
import { scenarioOf, threeDSConfiguration } from '../domains/three-d-secure-configuration.ts'
import { card, mockCardService } from '../railyard.ts'
import { roleIds } from '../roles.ts'

// For the tests of tenant isolation: a request of the right shape for every operation of the API, and how it
// treats tenants.

export const appleWallet = {
  provider: 'apple',
  merchant_name: 'Shop',
  merchant_url: 'https://shop.example',
  accept_terms_and_conditions: true,
}

export const refusal = {
  display_name: 'Mine now',
  action: 'decline-early',
  condition: { field: 'metadata.tenancy', operator: 'is', value: 'b' },
}

export const newReport = {
  name: 'B’s',
  schedule: 'once',
  schedule_enabled: false,
  spec: { model: 'transactions', params: { fields: ['id'] } },
}
export const paymentLink = { amount: 1_00, country: 'DE', currency: 'EUR' }

export const newUser = () => ({
  email_address: `${randomUUID()}@example.com`,
  name: 'Another',
  role_ids: ['6f0c5e1a-0003-4d7b-9c11-5d3c2f6a7b03'],
})

/** Bodies of the right shape, so that a request is refused for its ids only. */
export const bodies: Record<string, unknown> = {
  create_merchant_account: { id: 'another', display_name: 'Another' },
  update_merchant_account: { display_name: 'Mine now' },
  create_session: { email_address: 'nobody@example.com', password: 'not a password' },
  accept_invitation: { token: 'nobody’s', password: 'not a password' },
  create_session_by_passkey: { credential: {} },
  create_own_passkey_options: { password: 'not a password' },
  create_own_passkey: { name: 'Mine now', credential: {} },
  delete_own_passkey: { password: 'not a password' },
  update_own_user: { name: 'Mine now' },
  confirm_own_totp: { code: '123456' },
  delete_own_totp: { code: '123456' },
  create_user: newUser(),
  update_user: { name: 'Mine now' },
  add_buyer: { display_name: 'Another' },
  update_buyer: { display_name: 'Mine now' },
  add_buyer_shipping_details: { first_name: 'Mine' },
  update_buyer_shipping_details: { first_name: 'Mine now' },
  // a payment service that does not exist: A's own would execute the payout
  create_payout: payoutOf(randomUUID()),
  create_payment_service: mockCardService(),
  update_payment_service: { display_name: 'Mine now' },
  verify_payment_service_credentials: {
    payment_service_definition_id: 'mock-card',
    fields: [{ key: 'merchant_id', value: 'x' }],
  },
  create_payment_service_session: {},
  create_payment_service_definition_session: {},
  create_transaction: { amount: 1_00, currency: 'USD', payment_method: card },
  update_transaction: { external_identifier: 'mine-now' },
  replay_flow_rules: { rules: [] },
  capture_transaction: {},
  increment_transaction_authorization: { amount: 1_00 },
  create_transaction_refund: {},
  create_full_transaction_refund: {},
  set_sandbox_faults: { items: [] },
  simulate_transaction_event: { event: 'settled' },
  advance_sandbox_clock: { by: 1 },
  submit_dispute_evidence: { text: { other: 'Mine now' } },
  update_transaction_session: {},
  create_gift_card_service: mockGiftCardService(),
  update_gift_card_service: { display_name: 'Mine now' },
  create_anti_fraud_service: mockAntiFraudService(),
  update_anti_fraud_service: { display_name: 'Mine now' },
  create_gift_card: newGiftCard(),
  list_gift_card_balances: { items: [newGiftCard()] },
  activate_gift_card: { number: newGiftCard().number },
  issue_gift_card: { theme: 'birthday', amount: 1_00, currency: 'EUR' },
  configure_digital_wallet: appleWallet,
  update_digital_wallet: { merchant_name: 'Mine now' },
  register_digital_wallet_domain: { domain_name: 'mine.example' },
  unregister_digital_wallet_domain: { domain_name: 'shop.example' },
  create_apple_pay_certificate: { purpose: 'merchant-identity' },
  update_apple_pay_certificate: { certificate: 'none' },
  create_google_pay_digital_wallet_session: { origin_domain: 'shop.example' },
  create_apple_pay_digital_wallet_session: {
    validation_url: 'https://apple-pay-gateway.apple.com/paymentservices/startSession',
    domain_name: 'shop.example',
  },
  create_click_to_pay_digital_wallet_session: { checkout_session_id: randomUUID() },
  create_sandbox_apple_pay_token: { amount: 1_00, currency: 'USD' },
  create_sandbox_google_pay_token: {},
  create_payment_method: { number: card.number, expiration_date: card.expiration_date },
  update_payment_method: { expiration_date: '11/35' },
  create_account_updater_job: { payment_method_ids: [randomUUID()] },
  create_payment_method_payment_service_token: {
    payment_service_id: randomUUID(),
    redirect_url: 'https://shop.example',
  },
  create_payment_method_network_token: { merchant_initiated: false, is_subsequent_payment: false },
  create_payment_method_network_token_cryptogram: { merchant_initiated: false },
  create_checkout_session: {},
  delegate_payment: delegationOf('default', Date.now()),
  update_agentic_seller: { pricing_url: 'https://mine.example/price' },
  create_agentic_checkout: cartOf(),
  update_agentic_checkout: {},
  complete_agentic_checkout: {
    payment_data: {
      handler_id: 'card',
      instrument: { type: 'card', credential: { type: 'vault_token', token: `vt_${randomUUID()}` } },
    },
  },
  update_checkout_session: { amount: 1_00 },
  update_checkout_session_fields: { payment_method: card },
  post_checkout_session_fields: { payment_method: card },
  get_checkout_session_card_details: { bin: '411111' },
  list_payment_options: {},
  create_three_ds_configuration: threeDSConfiguration(),
  edit_three_ds_configuration: { merchant_name: 'Mine now' },
  create_three_ds_scenario: scenarioOf({ amount: 1_00 }),
  update_three_ds_scenario: { conditions: { amount: 2_00 } },
  create_flow_rule: refusal,
  replace_flow_rules: { items: [refusal] },
  update_flow_rule: refusal,
  create_webhook_subscription: { url: 'https://shop.example/mine' },
  update_webhook_subscription: { active: false },
  rotate_webhook_subscription_secret: { delta: 0 },
  replay_webhook_events: { from: '2024-01-01T00:00:00Z', to: '2024-01-02T00:00:00Z' },
  publish_flow_rules: {},
  add_report: newReport,
  update_report: { name: 'Mine now' },
  create_report_execution_url: {},
  create_monitoring_metric: authRateMetric(),
  update_monitoring_metric: { display_name: 'Mine now', alerting_policy: null, incident_policy: null },
  update_monitoring_incident: { notes: 'Mine now' },
  update_elements_configuration: { allowed_origins: ['https://mine.example'] },
  update_hosted_page_incident: { closed: true },
  create_approval_policy: { display_name: 'Mine', operations: ['payout'] },
  update_approval_policy: { display_name: 'Mine now' },
  create_proposal: { method: 'POST', path: `/transactions/${randomUUID()}/void`, reason: 'Mine' },
  approve_proposal: { hash: '0'.repeat(64), password: 'not a password' },
  reject_proposal: { hash: '0'.repeat(64), password: 'not a password' },
  create_spending_limit: {
    subject: { type: 'api-key-pair', id: '6f0c5e1a-0002-4d7b-9c11-5d3c2f6a7b02' },
    operation: 'refund',
    currency: 'EUR',
    per_day: 1,
  },
  update_spending_limit: { per_day: 2 },
  create_saved_view: { list: 'payments', name: 'Mine', query: '', shared: true },
  update_saved_view: { name: 'Mine now' },
  create_metrics_explorer_preset: {
    display_name: 'Mine',
    metric: 'transactions',
    filters: { datetime_range: 'P1D/now' },
  },
  update_metrics_explorer_preset: { display_name: 'Mine now' },
  create_api_key_pair: { display_name: 'Mine', role_ids: roleIds('administrator') },
  update_api_key_pair: { display_name: 'Mine now' },
  add_payment_link: paymentLink,
}
/** Query parameters that a GET needs, with ids of the owner's resources. */
export const queries: Record<string, (owned: Record<string, string>) => string> = {
  get_metrics_explorer_module: () => '?datetime_range=P1D/now',
  get_metrics_explorer_totals: () => '?datetime_range=P1D/now',
  get_metrics_explorer_summary: () => '?datetime_range=P1D/now',
  get_card_details: () => '?currency=USD&bin=411111',
  list_buyer_payment_methods: (owned) => `?buyer_id=${owned['buyer_id']}`,
  list_monitoring_metrics: () => '?samples_timestamp_interval=PT1H/now',
  list_buyer_gift_cards: (owned) => `?buyer_id=${owned['buyer_id']}`,
}
/** Operations that take no body. */
export const bodyless = new Set([
  'create_checkout_session_three_ds_method',
  'accept_dispute',
  'expire_payment_link',
  'delete_metrics_explorer_preset',
  'delete_saved_view',
  'delete_approval_policy',
  'withdraw_proposal',
  'create_proposal_passkey_options',
  'take_proposal_answer',
  'delete_spending_limit',
  'delete_current_session',
  'create_own_totp',
  'delete_own_session',
  'create_session_passkey_options',
  'delete_user',
  'create_user_invitation',
  'delete_flow_rules_draft',
  'delete_flow_rule',
  'delete_payment_method_payment_service_token',
  'suspend_payment_method_network_token',
  'resume_payment_method_network_token',
  'delete_payment_method_network_token',
  'delete_payment_method',
  'post_transaction_completion',
  'register_payment_service_webhook',
  'void_transaction',
  'cancel_transaction',
  'sync_transaction',
  'sync_payout',
  'delete_payment_service',
  'delete_digital_wallet',
  'delete_apple_pay_certificate',
  'delete_buyer',
  'erase_buyer',
  'erase_transaction',
  'delete_buyer_shipping_details',
  'delete_gift_card_service',
  'delete_anti_fraud_service',
  'delete_gift_card',
  'delete_checkout_session',
  'delete_agentic_seller',
  'cancel_agentic_checkout',
  'delete_three_ds_configuration',
  'delete_three_ds_scenario',
  'delete_webhook_subscription',
  'delete_api_key_pair',
  'retry_webhook_delivery',
  'test_webhook_subscription',
  'delete_monitoring_metric',
])

/** Public: the id in the path is the credential, and an unknown one is a 404 (semantics §0.6). */
export const idIsCredential = new Set([
  'update_checkout_session_fields',
  'post_checkout_session_fields',
  'get_checkout_session_card_details',
  'create_checkout_session_three_ds_method',
  'get_checkout_session_acquirer',
  'create_click_to_pay_digital_wallet_session',
])
/** Public, for a page of a host name: without one, as here, the answer is 400. */
export const forPages = new Set(['create_session_passkey_options'])
/** Public: the token of the session is the credential, and without it they answer 401 (semantics §0.6). */
export const withoutBearer = new Set([
  'get_transaction_session',
  'update_transaction_session',
  'create_session',
  'create_session_by_passkey',
  'accept_invitation',
  ...idIsCredential,
  ...forPages,
])
/** For people who have signed in: a key pair gets 403. */
export const ofPeople = new Set([
  'get_current_session',
  'delete_current_session',
  'get_own_user',
  'update_own_user',
  'create_own_totp',
  'confirm_own_totp',
  'delete_own_totp',
  'list_own_sessions',
  'delete_own_session',
  'list_own_passkeys',
  'create_own_passkey_options',
  'create_own_passkey',
  'delete_own_passkey',
])

/** The same for every merchant (semantics §1.5). */
export const shared = new Set([
  'list_payment_service_definitions',
  'get_payment_service_definition',
  'list_anti_fraud_service_definitions',
  'create_payment_service_definition_session',
  'list_roles',
  'get_sandbox_faults',
  'set_sandbox_faults',
])
/** Do not act on the account of the header. */
export const unscoped = new Set([
  ...shared,
  ...ofPeople,
  'list_users',
  'create_user',
  'get_user',
  'update_user',
  'delete_user',
  'create_user_invitation',
  'list_merchant_accounts',
  'create_merchant_account',
  'get_merchant_account',
  'update_merchant_account',
  'list_three_ds_configurations',
  'create_three_ds_configuration',
  'edit_three_ds_configuration',
  'delete_three_ds_configuration',
  'list_api_key_pairs',
  'create_api_key_pair',
  'get_api_key_pair',
  'update_api_key_pair',
  'delete_api_key_pair',
])

/** Path parameters that choose among words, not resources. */
export const choices: Record<string, string> = {
  source: 'authorization',
  metric: 'transactions',
  module: 'method',
}
