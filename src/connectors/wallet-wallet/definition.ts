import type { Definition } from '../contract/connector.ts'
import { environmentField } from '../wire/account-environment.ts'

/**
 * How long the provider stores an order's idempotency key: an approval that is sent again later would open a
 * second order.
 */
const SIX_HOURS_MS = 6 * 3_600_000

/** PayPal: the buyer approves there, with a PayPal account (API §4.11). */
export const definition = (hasSandbox: boolean): Definition => ({
  id: 'wallet-wallet',
  displayName: 'PayPal',
  method: 'wallet',
  mode: 'redirect',
  fields: [
    { key: 'client_id', displayName: 'Client ID', required: true, secret: false, format: 'text' },
    { key: 'client_secret', displayName: 'Client secret', required: true, secret: true, format: 'text' },
    environmentField(hasSandbox),
    { key: 'webhook_id', displayName: 'Webhook ID', required: false, secret: false, format: 'text' },
  ],
  currencies: [
    ...['AUD', 'BRL', 'CAD', 'CHF', 'CNY', 'CZK', 'DKK', 'EUR', 'GBP', 'HKD', 'HUF', 'ILS'],
    ...['JPY', 'MXN', 'MYR', 'NOK', 'NZD', 'PHP', 'PLN', 'SEK', 'SGD', 'THB', 'TWD', 'USD'],
  ],
  countries: [],
  features: {
    cancel: true,
    create_session: false,
    delayed_capture: true,
    digital_wallets: false,
    evidence: true,
    incremental_authorization: false,
    multi_capture: true,
    network_tokens: false,
    over_capture: false,
    partial_authorization: false,
    partial_capture: true,
    partial_refunds: true,
    payment_method_tokenization: true,
    payouts: false,
    reauthorization: false,
    refunds: true,
    requires_webhook_setup: true,
    settlement_reporting: true,
    three_d_secure_hosted: false,
    three_d_secure_pass_through: false,
    transaction_sync: true,
    verify_credentials: true,
    void: true,
    webhook_registration: true,
    zero_auth: false,
  },
  integrationClients: ['redirect', 'web', 'android', 'ios'],
  browserOptions: ['locale', 'landing_page', 'user_action'],
  approval: { defaultLife: 3_600_000, longestLife: SIX_HOURS_MS },
})
