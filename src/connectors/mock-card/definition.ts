import { type Definition, offeredFeatures } from '../contract/connector.ts'

const features: Definition['features'] = {
  account_funding: true,
  cancel: true,
  create_session: true,
  delayed_capture: true,
  evidence: true,
  digital_wallets: true,
  incremental_authorization: true,
  multi_capture: true,
  network_tokens: true,
  over_capture: true,
  partial_authorization: true,
  partial_capture: true,
  partial_refunds: true,
  payment_method_tokenization: true,
  payouts: true,
  provider_tokens: true,
  reauthorization: true,
  refunds: true,
  open_loop: true,
  settlement_reporting: true,
  three_d_secure_hosted: true,
  three_d_secure_pass_through: true,
  transaction_sync: true,
  verify_credentials: true,
  void: true,
  zero_auth: true,
}

/**
 * The sandbox's card payment service (semantics §6.1): it supports everything, and the amount decides the
 * outcome of a payment.
 */
export const definition: Definition = {
  id: 'mock-card',
  displayName: 'Mock card',
  method: 'card',
  mode: 'card',
  fields: [{ key: 'merchant_id', displayName: 'Merchant ID', required: true, secret: false, format: 'text' }],
  currencies: [],
  countries: [],
  features,
  simulatedFeatures: offeredFeatures(features),
  integrationClients: ['redirect'],
  // they decide the simulator's answers, so no browser may send them
  browserOptions: [],
}
