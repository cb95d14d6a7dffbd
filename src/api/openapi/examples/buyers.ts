import { ada, type RequestExamples } from './request-example.ts'

const giftCard = { number: '6006490000000001', pin: '05000' }

/** Buyers and what they have stored. */
export const buyerExamples: RequestExamples = {
  add_buyer: {
    summary: 'A buyer with a billing address',
    body: {
      display_name: 'Ada Lovelace',
      billing_details: { ...ada, address: { city: 'London', country: 'GB' } },
    },
  },
  update_buyer: {
    summary: 'Add an email address',
    body: { billing_details: { email_address: 'ada@example.com' } },
  },
  add_buyer_shipping_details: {
    summary: 'An address to send to',
    body: { ...ada, address: { line1: '12 St James’s Square', city: 'London', country: 'GB' } },
  },
  update_buyer_shipping_details: {
    summary: 'A phone number for the delivery',
    body: { phone_number: '+442079460018' },
  },
  create_payment_method: {
    summary: 'Store a card',
    body: { method: 'card', number: '4111111111111111', expiration_date: '12/35' },
  },
  update_payment_method: { summary: 'The card was renewed', body: { expiration_date: '12/36' } },
  create_payment_method_network_token: {
    summary: 'For payments that the buyer makes',
    needs: 'an account that requests tokens of Visa, as the example of `update_merchant_account` makes it',
    body: { merchant_initiated: false, is_subsequent_payment: false },
  },
  create_payment_method_network_token_cryptogram: {
    summary: 'For a payment that the buyer makes',
    body: { merchant_initiated: false },
  },
  create_payment_method_payment_service_token: {
    summary: 'Have a payment service keep the card',
    needs: 'a payment service that keeps cards, as the example of `update_payment_service` makes it',
    body: { payment_service_id: '{payment_service_id}', redirect_url: 'https://shop.example/cards' },
  },
  create_account_updater_job: {
    summary: 'Ask about one card',
    needs: 'an account with the account updater, as the example of `update_merchant_account` makes it',
    body: { payment_method_ids: ['{payment_method_id}'] },
  },
  list_gift_card_balances: { summary: 'The balance of one card', body: { items: [giftCard] } },
  create_gift_card: { summary: 'Store a gift card', body: giftCard },
  activate_gift_card: {
    summary: 'Put 50.00 USD on a new card',
    body: { number: '6006490000000002', amount: 5000, currency: 'USD' },
  },
  issue_gift_card: {
    summary: 'A birthday card of 25.00 USD',
    body: { theme: 'birthday', amount: 2500, currency: 'USD' },
  },
}
