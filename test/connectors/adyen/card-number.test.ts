import { expect, test } from 'vitest'
import { searchDatabase } from '../../support/search-database.ts'
import { openAdyenShopForFile } from './shop.ts'

const { adyen, fake } = await openAdyenShopForFile({ card_numbers: 'allow' })
const { railyard, shop } = adyen

const number = '4242424242424242'
const spaced = '4242 4242 4242 4242'

test('a card number that the provider repeats in its error is stored, shown and logged nowhere', async () => {
  const receive = fake.receive.bind(fake)
  fake.receive = (request) =>
    request.url.endsWith('/payments')
      ? {
          status: 422,
          body: {
            status: 422,
            errorCode: '101',
            errorType: 'validation',
            message: `Invalid card number ${number}`,
            additionalData: { seen: Number(number), written: spaced },
          },
        }
      : receive(request)
  const { status, body } = await shop.post('/transactions', {
    amount: 10_00,
    currency: 'EUR',
    country: 'DE',
    payment_method: { method: 'card', number, expiration_date: '12/35' },
  })
  expect({ status, body }).toMatchObject({
    status: 201,
    body: {
      status: 'authorization_failed',
      raw_response_description: 'Invalid card number 424242******4242',
    },
  })
  expect(JSON.stringify(body)).not.toContain(number)
  expect(await searchDatabase(railyard.world, [number, spaced])).toEqual([])
  expect(railyard.logged.join('\n')).not.toContain(number)
})
