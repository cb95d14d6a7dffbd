import type { Definition, FieldDefinition } from '../contract/connector.ts'
import { cardNumbersField, definitionField } from '../wire/definition-fields.ts'

/** The currencies in which Stripe charges cards. */
export const currencies = [
  ...['AED', 'AFN', 'ALL', 'AMD', 'AOA', 'ARS', 'AUD', 'AWG', 'AZN', 'BAM', 'BBD', 'BDT', 'BHD', 'BIF'],
  ...['BMD', 'BND', 'BOB', 'BRL', 'BSD', 'BWP', 'BYN', 'BZD', 'CAD', 'CDF', 'CHF', 'CLP', 'CNY', 'COP'],
  ...['CRC', 'CVE', 'CZK', 'DJF', 'DKK', 'DOP', 'DZD', 'EGP', 'ETB', 'EUR', 'FJD', 'FKP', 'GBP', 'GEL'],
  ...['GIP', 'GMD', 'GNF', 'GTQ', 'GYD', 'HKD', 'HNL', 'HTG', 'HUF', 'IDR', 'ILS', 'INR', 'ISK', 'JMD'],
  ...['JOD', 'JPY', 'KES', 'KGS', 'KHR', 'KMF', 'KRW', 'KWD', 'KYD', 'KZT', 'LAK', 'LBP', 'LKR', 'LRD'],
  ...['LSL', 'MAD', 'MDL', 'MGA', 'MKD', 'MMK', 'MNT', 'MOP', 'MUR', 'MVR', 'MWK', 'MXN', 'MYR', 'MZN'],
  ...['NAD', 'NGN', 'NIO', 'NOK', 'NPR', 'NZD', 'OMR', 'PAB', 'PEN', 'PGK', 'PHP', 'PKR', 'PLN', 'PYG'],
  ...['QAR', 'RON', 'RSD', 'RUB', 'RWF', 'SAR', 'SBD', 'SCR', 'SEK', 'SGD', 'SHP', 'SOS', 'SRD', 'SZL'],
  ...['THB', 'TJS', 'TND', 'TOP', 'TRY', 'TTD', 'TWD', 'TZS', 'UAH', 'UGX', 'USD', 'UYU', 'UZS', 'VND'],
  ...['VUV', 'WST', 'XAF', 'XCD', 'XOF', 'XPF', 'YER', 'ZAR', 'ZMW'],
] as const

/** What every definition of Stripe asks for. */
export const credentials: readonly FieldDefinition[] = [
  definitionField('secret_key', 'Secret key', { required: true, secret: true }),
  definitionField('publishable_key', 'Publishable key'),
  definitionField('webhook_secret', 'Webhook signing secret', { secret: true }),
]

/** Cards at Stripe (API §2). */
export const cardDefinition: Definition = {
  id: 'stripe-card',
  displayName: 'Stripe card',
  method: 'card',
  mode: 'card',
  fields: [...credentials, cardNumbersField],
  currencies,
  countries: [],
  features: {
    account_funding: false,
    cancel: true,
    card_numbers: true,
    create_session: false,
    delayed_capture: true,
    digital_wallets: false,
    evidence: true,
    incremental_authorization: true,
    multi_capture: true,
    network_tokens: false,
    open_loop: false,
    over_capture: true,
    partial_authorization: false,
    partial_capture: true,
    partial_refunds: true,
    payment_method_tokenization: false,
    payouts: false,
    provider_tokens: true,
    reauthorization: false,
    refunds: true,
    requires_webhook_setup: true,
    settlement_reporting: true,
    three_d_secure_hosted: true,
    three_d_secure_pass_through: true,
    transaction_sync: true,
    verify_credentials: true,
    void: true,
    webhook_registration: true,
    zero_auth: true,
  },
  integrationClients: ['redirect'],
  browserOptions: [],
}
