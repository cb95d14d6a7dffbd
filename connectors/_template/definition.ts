import type { Definition } from 'railyard/connector'

/** Cards at Acme, with the token of its browser script. */
export const definition: Definition = {
  id: 'acme-card',
  displayName: 'Acme',
  method: 'card',
  mode: 'card',
  fields: [
    { key: 'api_key', displayName: 'API key', required: true, secret: true, format: 'text' },
    { key: 'webhook_secret', displayName: 'Webhook secret', required: true, secret: true, format: 'text' },
  ],
  currencies: ['EUR', 'GBP', 'JPY', 'KWD', 'USD'],
  countries: [],
  features: {
    delayed_capture: true,
    partial_capture: true,
    partial_refunds: true,
    provider_tokens: true,
    refunds: true,
    requires_webhook_setup: true,
    three_d_secure_hosted: true,
    transaction_sync: true,
    verify_credentials: true,
    void: true,
  },
  integrationClients: ['redirect'],
  browserOptions: [],
}
