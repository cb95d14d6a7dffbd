import type { Definition } from '../contract/connector.ts'
import { cardFields } from './environment.ts'

/** The currencies in which the provider charges cards. */
export const currencies = [
  ...['AED', 'AUD', 'BGN', 'BRL', 'CAD', 'CHF', 'CZK', 'DKK', 'EUR', 'GBP', 'HKD', 'HUF', 'ILS', 'ISK'],
  ...['JPY', 'MXN', 'MYR', 'NOK', 'NZD', 'PHP', 'PLN', 'RON', 'SEK', 'SGD', 'THB', 'TWD', 'USD', 'ZAR'],
] as const

/** Cards at Mollie (API §2). */
export const definition: Definition = {
  id: 'mollie-card',
  displayName: 'Mollie card',
  method: 'card',
  mode: 'card',
  fields: cardFields,
  currencies,
  countries: [],
  features: {
    account_funding: false,
    cancel: true,
    card_numbers: false,
    create_session: false,
    delayed_capture: true,
    digital_wallets: false,
    evidence: false,
    incremental_authorization: false,
    multi_capture: true,
    network_tokens: false,
    open_loop: false,
    over_capture: false,
    partial_authorization: false,
    partial_capture: true,
    partial_refunds: true,
    payment_method_tokenization: false,
    payouts: false,
    provider_tokens: true,
    reauthorization: false,
    refunds: true,
    requires_webhook_setup: false,
    settlement_reporting: true,
    three_d_secure_hosted: true,
    three_d_secure_pass_through: false,
    transaction_sync: true,
    verify_credentials: true,
    void: true,
    webhook_registration: true,
    zero_auth: false,
  },
  integrationClients: ['redirect'],
  browserOptions: [],
}
