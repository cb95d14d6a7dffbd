import { card, type RequestExamples } from './request-example.ts'

/** Checkout sessions, payment options and digital wallets. */
const agenticCart = {
  line_items: [{ id: 'mug', quantity: 2 }],
  currency: 'usd',
  capabilities: {},
  buyer: { first_name: 'Jane', last_name: 'Doe', email: 'jane@example.com' },
  fulfillment_details: {
    name: 'Jane Doe',
    address: {
      name: 'Jane Doe',
      line_one: '185 Berry Street',
      city: 'San Francisco',
      state: 'CA',
      country: 'US',
      postal_code: '94107',
    },
  },
}

export const checkoutExamples: RequestExamples = {
  create_checkout_session: {
    summary: 'A session for 12.99 USD, for an hour',
    body: { expires_in: 3600, amount: 1299, currency: 'USD' },
  },
  update_checkout_session: { summary: 'Keep it for two hours from now', body: { expires_in: 7200 } },
  update_checkout_session_fields: { summary: 'The card that a buyer typed', body: { payment_method: card } },
  post_checkout_session_fields: { summary: 'The card that a buyer typed', body: { payment_method: card } },
  get_checkout_session_card_details: {
    summary: 'The first six digits of a card',
    body: { bin: '411111' },
  },
  delegate_payment: {
    summary: 'A card for one payment of up to 20.00 USD',
    body: {
      payment_method: {
        type: 'card',
        card_number_type: 'fpan',
        number: card.number,
        exp_month: '12',
        exp_year: '2035',
        cvc: '123',
        name: 'Jane Doe',
        display_card_funding_type: 'credit',
        metadata: {},
      },
      allowance: {
        reason: 'one_time',
        max_amount: 2000,
        currency: 'usd',
        checkout_session_id: 'csn_1',
        merchant_id: 'default',
        expires_at: '{in_an_hour}',
      },
      risk_signals: [{ type: 'card_testing', score: 5, action: 'authorized' }],
      metadata: { campaign: 'q4' },
    },
  },
  update_agentic_seller: {
    summary: 'Carts are priced by your shop, and payments are captured at once',
    body: { pricing_url: 'https://shop.example/agentic-price', intent: 'capture' },
  },
  create_agentic_checkout: {
    summary: 'A cart of two mugs, sent to San Francisco',
    needs: 'your endpoint that prices carts, as `update_agentic_seller` names it',
    body: agenticCart,
  },
  update_agentic_checkout: {
    summary: 'One mug more',
    needs: 'a checkout session',
    body: { line_items: [{ id: 'mug', quantity: 3 }] },
  },
  complete_agentic_checkout: {
    summary: 'The buyer pays with a delegated card',
    needs: 'a checkout session that is ready, and a token for it from `delegate_payment`',
    body: {
      payment_data: {
        handler_id: 'card',
        instrument: { type: 'card', credential: { type: 'vault_token', token: '{delegated_token}' } },
      },
    },
  },
  cancel_agentic_checkout: {
    summary: 'The buyer does not buy',
    needs: 'a checkout session',
    body: { intent_trace: { reason_code: 'price_sensitivity' } },
  },
  list_payment_options: {
    summary: 'What a buyer in the US can pay 12.99 USD with',
    body: { country: 'US', currency: 'USD', amount: 1299 },
  },
  configure_digital_wallet: {
    summary: 'Apple Pay on one domain',
    body: {
      provider: 'apple',
      merchant_name: 'Shop',
      merchant_url: 'https://shop.example',
      domain_names: ['shop.example'],
      accept_terms_and_conditions: true,
    },
  },
  update_digital_wallet: { summary: 'Another name', body: { merchant_name: 'Shop in Berlin' } },
  register_digital_wallet_domain: {
    summary: 'Apple Pay on another domain',
    body: { domain_name: 'pay.shop.example' },
  },
  unregister_digital_wallet_domain: {
    summary: 'No Apple Pay on that domain',
    body: { domain_name: 'pay.shop.example' },
  },
  create_apple_pay_certificate: {
    summary: 'A signing request for the certificate that opens payments',
    body: { purpose: 'payment-processing' },
  },
  update_apple_pay_certificate: {
    summary: 'The certificate that Apple made',
    body: { certificate: '{certificate}' },
  },
  create_google_pay_digital_wallet_session: {
    summary: 'For a page of the shop',
    body: { origin_domain: 'shop.example' },
  },
  create_apple_pay_digital_wallet_session: {
    summary: 'For a page of the shop',
    needs: 'Apple Pay on the domain, as the example of `configure_digital_wallet` registers it',
    body: {
      validation_url: 'https://apple-pay-gateway.apple.com/paymentservices/startSession',
      domain_name: 'shop.example',
    },
  },
  create_click_to_pay_digital_wallet_session: {
    summary: 'For a checkout session',
    needs: 'a digital wallet of the provider `click-to-pay`',
    body: { checkout_session_id: '{checkout_session_id}' },
  },
}
