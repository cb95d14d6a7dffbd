import { expect, test } from 'vitest'
import { card } from './support/railyard.ts'
import { startRailyardForFile } from './support/start-railyard.ts'

const railyard = await startRailyardForFile()
const payment = { amount: 10_00, currency: 'USD', payment_method: card }

test('accepts and returns 3-D Secure 2 data with a scheme', async () => {
  const three_d_secure_data = {
    cavv: 'AAAB',
    eci: '05',
    version: '2.2.0',
    directory_response: 'Y',
    directory_transaction_id: 'd',
    scheme: 'visa',
  }
  const merchant = await railyard.merchant()
  const created = await merchant.post('/transactions', { ...payment, three_d_secure_data })
  expect(created.status).toBe(201)
  expect((await merchant.get(`/transactions/${created.body.id}`)).status).toBe(200)
})

test('masks an account number outside of the Basic Multilingual Plane by characters', async () => {
  const merchant = await railyard.merchant()
  expect(
    (await merchant.post('/transactions', { ...payment, buyer: { account_number: `a${'😀'.repeat(10)}` } }))
      .status,
  ).toBe(201)
})

test('refuses a metadata filter with text that cannot be stored', async () => {
  for (const text of ['{"a":"\\u0000"}', '{"\\ud800":"a"}'])
    expect((await railyard.admin.get(`/transactions?metadata=${encodeURIComponent(text)}`)).status).toBe(400)
})
