import type { Definition, FieldDefinition } from '../contract/connector.ts'
import { LIVE_CREDENTIALS_MESSAGE } from '../wire/account-environment.ts'
import type { CheckoutOptions } from './environment.ts'

const field = (key: string, displayName: string, more: Partial<FieldDefinition> = {}): FieldDefinition => ({
  key,
  displayName,
  required: false,
  secret: false,
  format: 'text',
  ...more,
})

/** The fields with which a service of this provider is configured. */
const fields = (isSandbox: boolean): FieldDefinition[] => [
  field('secret_key', 'Secret key', { required: true, secret: true }),
  field('public_key', 'Public key'),
  field('environment', 'Environment', {
    required: true,
    ...(isSandbox
      ? { values: ['sandbox'], unavailable: { production: LIVE_CREDENTIALS_MESSAGE } }
      : { values: ['sandbox', 'production'] }),
  }),
  field('url_prefix', 'URL prefix of the account'),
  field('processing_channel_id', 'Processing channel ID'),
  field('webhook_key', 'Signature key of the webhook', { secret: true }),
  field('card_numbers', 'Card numbers', { values: ['refuse', 'allow'] }),
  field('authorization_type', 'Authorization type', { values: ['final', 'estimated'] }),
  field('three_d_secure', '3-D Secure', { values: ['always', 'when_required'] }),
  field('descriptor_city', 'City of the statement descriptor'),
]

/** Cards at Checkout.com, by its Payments API. */
export const definition = ({ isSandbox }: CheckoutOptions): Definition => ({
  id: 'checkout-card',
  displayName: 'Checkout.com card',
  method: 'card',
  mode: 'card',
  fields: fields(isSandbox),
  currencies: [],
  countries: [],
  features: {
    account_funding: false,
    // a payment whose cardholder is challenged cannot be ended before its time
    cancel: false,
    card_numbers: true,
    create_session: false,
    delayed_capture: true,
    digital_wallets: true,
    evidence: true,
    incremental_authorization: true,
    multi_capture: true,
    network_tokens: true,
    open_loop: false,
    over_capture: false,
    partial_authorization: true,
    partial_capture: true,
    partial_refunds: true,
    payment_method_tokenization: false,
    payouts: false,
    provider_tokens: true,
    reauthorization: false,
    refunds: true,
    requires_webhook_setup: true,
    settlement_reporting: false,
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
})
