import type { RequestExamples } from './request-example.ts'

/** Payment, gift card and anti-fraud services, and 3-D Secure. */
export const serviceExamples: RequestExamples = {
  verify_payment_service_credentials: {
    summary: 'Check credentials before they are stored',
    body: {
      payment_service_definition_id: 'mock-card',
      fields: [{ key: 'merchant_id', value: 'shop' }],
    },
  },
  create_payment_service: {
    summary: 'Take cards in USD and EUR',
    body: {
      payment_service_definition_id: 'mock-card',
      display_name: 'Cards',
      fields: [{ key: 'merchant_id', value: 'shop' }],
      accepted_currencies: ['USD', 'EUR'],
      accepted_countries: ['US', 'DE'],
    },
  },
  update_payment_service: {
    summary: 'Have it keep stored cards',
    body: { open_loop: false, payment_method_tokenization_enabled: true },
  },
  create_payment_service_session: { summary: 'Without a message to the payment service', body: {} },
  create_payment_service_definition_session: {
    summary: 'Without a message to the payment service',
    body: {},
  },
  create_gift_card_service: {
    summary: 'A second gift card service, inactive since one at a time is active',
    body: {
      gift_card_service_definition_id: 'mock-gift-card',
      display_name: 'Gift cards',
      active: false,
      fields: [{ key: 'api_key', value: 'any' }],
    },
  },
  update_gift_card_service: { summary: 'Another name', body: { display_name: 'Gift cards in Europe' } },
  create_anti_fraud_service: {
    summary: 'Screen every payment',
    body: {
      anti_fraud_service_definition_id: 'mock-anti-fraud',
      display_name: 'Fraud checks',
      fields: [{ key: 'api_key', value: 'any' }],
    },
  },
  update_anti_fraud_service: { summary: 'Stop screening', body: { active: false } },
  create_three_ds_configuration: {
    summary: 'The merchant that Visa cardholders see',
    body: {
      scheme: 'visa',
      merchant_acquirer_bin: '516327',
      merchant_acquirer_id: '123456789012345',
      merchant_name: 'Shop',
      merchant_country_code: '840',
      merchant_category_code: '5045',
      merchant_url: 'https://shop.example',
      metadata: {},
    },
  },
  edit_three_ds_configuration: { summary: 'Another name', body: { merchant_name: 'Shop in Berlin' } },
  create_three_ds_scenario: {
    summary: 'Payments of 12.99 are challenged, and the cardholder passes',
    body: {
      conditions: { amount: 1299 },
      outcome: {
        authentication: { transaction_status: 'C' },
        result: { transaction_status: 'Y' },
        version: '2.2.0',
      },
    },
  },
  update_three_ds_scenario: { summary: 'For payments of 20.00', body: { conditions: { amount: 2000 } } },
}
