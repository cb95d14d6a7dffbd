import type { Definition, FieldDefinition } from '../contract/connector.ts'
import { environmentField } from '../wire/account-environment.ts'
import { cardNumbersField, definitionField } from '../wire/definition-fields.ts'
import type { CheckoutOptions } from './environment.ts'

/** The fields with which a service of this provider is configured. */
const fields = (isSandbox: boolean): FieldDefinition[] => [
  definitionField('secret_key', 'Secret key', { required: true, secret: true }),
  definitionField('public_key', 'Public key'),
  environmentField(isSandbox, ['sandbox']),
  definitionField('url_prefix', 'URL prefix of the account'),
  definitionField('processing_channel_id', 'Processing channel ID'),
  definitionField('webhook_key', 'Signature key of the webhook', { secret: true }),
  cardNumbersField,
  definitionField('authorization_type', 'Authorization type', { values: ['final', 'estimated'] }),
  definitionField('three_d_secure', '3-D Secure', { values: ['always', 'when_required'] }),
  definitionField('currency_account_id', 'Currency account that payouts are made from'),
  definitionField('descriptor_city', 'City of the statement descriptor'),
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
    payouts: true,
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
})
