import { card, type RequestExamples } from './request-example.ts'

const captured = 'a captured payment'
const paymentInPage =
  'a payment with the `integration_client` `web` that waits for its buyer, and its `session_token` as `token`'

/** Transactions, refunds, payment links and payouts. */
export const paymentExamples: RequestExamples = {
  create_transaction: {
    summary: 'Authorize 12.99 USD with a card',
    body: { amount: 1299, currency: 'USD', country: 'US', intent: 'authorize', payment_method: card },
  },
  update_transaction: {
    summary: 'Note the number of the order',
    body: { metadata: { order: '1042' } },
  },
  capture_transaction: { summary: 'Capture 12.99', body: { amount: 1299 } },
  increment_transaction_authorization: { summary: 'Authorize 5.00 more', body: { amount: 500 } },
  get_transaction_session: { summary: 'Without a payload', needs: paymentInPage, body: {} },
  update_transaction_session: {
    summary: 'Without a payload',
    needs: paymentInPage,
    body: { payload: null },
  },
  create_transaction_refund: {
    summary: 'Refund 5.00',
    needs: captured,
    body: { amount: 500, reason: 'One item was returned' },
  },
  create_full_transaction_refund: {
    summary: 'Refund all that was captured',
    needs: captured,
    body: { reason: 'The order was canceled' },
  },
  submit_dispute_evidence: {
    summary: 'Say what was delivered, and show the receipt',
    needs: 'a dispute that waits for evidence',
    body: {
      text: { product_description: 'A book, delivered on 3 May' },
      files: [{ subject: 'receipt', name: 'receipt.pdf', type: 'application/pdf', content: 'JVBERi0xLjQK' }],
    },
  },
  add_payment_link: {
    summary: 'A link to pay 12.99 USD',
    body: { amount: 1299, currency: 'USD', country: 'US' },
  },
  create_payout: {
    summary: 'Send 25.00 USD to a card',
    body: {
      amount: 2500,
      currency: 'USD',
      payment_service_id: '{payment_service_id}',
      payment_method: { method: 'card', number: '4111111111111111', expiration_date: '12/35' },
      buyer: { display_name: 'Ada Lovelace' },
    },
  },
}
