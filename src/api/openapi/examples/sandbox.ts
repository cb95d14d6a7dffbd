import type { RequestExamples } from './request-example.ts'

/** What the sandbox alone can do. */
export const sandboxExamples: RequestExamples = {
  simulate_transaction_event: {
    summary: 'The payment service settles the payment',
    needs: 'a captured payment',
    body: { event: 'settled' },
  },
  create_sandbox_apple_pay_token: {
    summary: 'A buyer approves 12.99 USD',
    needs: 'Apple Pay, as the example of `configure_digital_wallet` registers it',
    body: { amount: 1299, currency: 'USD' },
  },
  create_sandbox_google_pay_token: {
    summary: 'A buyer approves with a card in the device',
    body: { auth_method: 'CRYPTOGRAM_3DS' },
  },
  advance_sandbox_clock: { summary: 'An hour passes', body: { by: 'PT1H' } },
  set_sandbox_faults: {
    summary: 'The answer of the next authorization is lost',
    body: { items: [{ operation: 'authorize', kind: 'lost', times: 1 }] },
  },
}
