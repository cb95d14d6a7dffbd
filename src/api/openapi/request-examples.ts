const card = { method: 'card', number: '4111111111111111', expiration_date: '12/35', security_code: '123' }

/**
 * A request of each operation that works as it is, in a new sandbox; a test sends each. Ids in the path are
 * those of what an earlier request made.
 */
export const requestExamples: Readonly<Record<string, unknown>> = {
  create_transaction: {
    amount: 1299,
    currency: 'USD',
    country: 'US',
    intent: 'authorize',
    payment_method: card,
  },
  update_transaction: { metadata: { order: '1042' } },
  capture_transaction: { amount: 1299 },
  increment_transaction_authorization: { amount: 500 },
  create_transaction_refund: { amount: 500, reason: 'One item was returned' },
  create_full_transaction_refund: { reason: 'The order was canceled' },
  add_buyer: {
    display_name: 'Ada Lovelace',
    billing_details: { first_name: 'Ada', last_name: 'Lovelace', address: { city: 'London', country: 'GB' } },
  },
  update_buyer: { billing_details: { email_address: 'ada@example.com' } },
  add_buyer_shipping_details: {
    first_name: 'Ada',
    last_name: 'Lovelace',
    address: { line1: '12 St James’s Square', city: 'London', country: 'GB' },
  },
  create_payment_method: { method: 'card', number: '4111111111111111', expiration_date: '12/35' },
  update_payment_method: { expiration_date: '12/36' },
  create_checkout_session: { expires_in: 3600, amount: 1299, currency: 'USD' },
  update_checkout_session: { expires_in: 7200 },
  update_checkout_session_fields: { payment_method: card },
  post_checkout_session_fields: { payment_method: card },
  list_payment_options: { country: 'US', currency: 'USD', amount: 1299 },
  create_webhook_subscription: { url: 'https://shop.example/webhooks' },
  update_webhook_subscription: { active: false },
  rotate_webhook_subscription_secret: { delta: 60 },
  add_payment_link: { amount: 1299, currency: 'USD', country: 'US' },
  create_payment_service: {
    payment_service_definition_id: 'mock-card',
    display_name: 'Cards',
    fields: [{ key: 'merchant_id', value: 'shop' }],
    accepted_currencies: ['USD', 'EUR'],
    accepted_countries: ['US', 'DE'],
  },
  update_payment_service: { display_name: 'Cards in Europe' },
  verify_payment_service_credentials: {
    payment_service_definition_id: 'mock-card',
    fields: [{ key: 'merchant_id', value: 'shop' }],
  },
  create_gift_card_service: {
    gift_card_service_definition_id: 'mock-gift-card',
    display_name: 'Gift cards',
    // a new sandbox has an active one
    active: false,
    fields: [{ key: 'api_key', value: 'any' }],
  },
  create_anti_fraud_service: {
    anti_fraud_service_definition_id: 'mock-anti-fraud',
    display_name: 'Fraud checks',
    fields: [{ key: 'api_key', value: 'any' }],
  },
  create_merchant_account: { id: 'berlin', display_name: 'Shop in Berlin' },
  update_merchant_account: { display_name: 'Shop in Potsdam' },
  create_three_ds_scenario: {
    conditions: { amount: 1299 },
    outcome: {
      authentication: { transaction_status: 'C' },
      result: { transaction_status: 'Y' },
      version: '2.2.0',
    },
  },
  create_flow_rule: {
    action: 'decline-early',
    display_name: 'No large payments',
    condition: { all: [{ field: 'amount', operator: 'gt', value: 500_000, currency: 'USD' }] },
    outcome: { error_code: 'flow_too_large' },
  },
  add_report: {
    name: 'Sales',
    schedule: 'daily',
    schedule_enabled: true,
    schedule_timezone: 'Europe/Berlin',
    spec: {
      model: 'transactions',
      params: {
        fields: ['id', 'status', 'amount', 'currency'],
        filters: { created_at: { start: 'day_start', end: 'day_end' } },
      },
    },
  },
  create_monitoring_metric: {
    display_name: 'Cards',
    spec: { params: { filters: { datetime_range: 'PT15M/now', method: ['card'] } } },
    alerting_policy: { params: { alert_lt: 0.8 } },
    incident_policy: { params: { create_after_n: 3, close_after_n: 5 } },
  },
  advance_sandbox_clock: { by: 'PT1H' },
  set_sandbox_faults: { items: [{ operation: 'authorize', kind: 'lost', times: 1 }] },
}
