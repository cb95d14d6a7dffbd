import { expect, test } from 'vitest'
import { addStoredCard } from '../../../test/support/domains/stored-card.ts'
import {
  configureThreeDS,
  threeDSConfiguration,
} from '../../../test/support/domains/three-d-secure-configuration.ts'
import { card } from '../../../test/support/railyard.ts'
import { startRailyardForFile } from '../../../test/support/start-railyard.ts'

const railyard = await startRailyardForFile()
const merchant = await railyard.merchant()
await configureThreeDS(railyard, merchant, { currency: 'EUR', metadata: { shop: 'a' } })
await configureThreeDS(railyard, merchant, { merchant_name: 'Any' })

/** Creates a session, enters the card if there is one, and answers the session's acquirer. */
async function acquirer(session: Record<string, unknown>, payment_method?: Record<string, unknown>) {
  const { body } = await merchant.post('/checkout/sessions', session)
  const at = `/checkout/sessions/${body.id}`
  if (payment_method) {
    const entered = await railyard.send('PUT', `${at}/fields`, {
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ payment_method }),
    })
    expect(entered.status).toBe(204)
  }
  const answer = await railyard.send('GET', `${at}/acquirer`)
  expect(answer.status).toBe(200)
  return answer.body
}

const mastercard = { ...card, number: '5555555555554444' }

test('the acquirer of a session is the profile under which the entered card is authenticated', async () => {
  const { metadata: _, ...expected } = threeDSConfiguration()
  expect(
    await acquirer({ amount: 10_00, currency: 'EUR', metadata: { shop: 'a', till: '1' } }, card),
  ).toEqual(expected)
  expect(await acquirer({ amount: 10_00, currency: 'USD', metadata: { shop: 'a' } }, card)).toEqual({
    ...expected,
    merchant_name: 'Any',
  })
  expect(await acquirer({}, card)).toEqual({ ...expected, merchant_name: 'Any' })
  const { id: buyer_id } = (await merchant.post('/buyers', {})).body
  const stored = await addStoredCard(railyard, merchant.account, { buyer_id })
  expect(await acquirer({ buyer_id }, { method: 'id', id: stored })).toEqual({
    ...expected,
    merchant_name: 'Any',
  })
})

test('the acquirer of a session is empty before a card is entered, and for a card without a configuration', async () => {
  expect(await acquirer({ currency: 'EUR' })).toEqual({})
  expect(await acquirer({ currency: 'EUR' }, mastercard)).toEqual({})
})

test('the acquirer of a session is the profile of its payment service, or of the first to be tried, if that has one', async () => {
  const { scheme: _, metadata: __, ...profile } = threeDSConfiguration({ merchant_name: 'At the service' })
  await merchant.put(`/payment-services/${merchant.paymentServiceId}`, {
    merchant_profile: { mastercard: profile },
  })
  const expected = { scheme: 'mastercard', ...profile }
  expect(await acquirer({ payment_service_id: merchant.paymentServiceId }, mastercard)).toEqual(expected)
  expect(await acquirer({ currency: 'EUR', country: 'DE' }, mastercard)).toEqual(expected)
  expect(await acquirer({ currency: 'CHF' }, mastercard)).toEqual({})
  expect(await acquirer({ payment_service_id: crypto.randomUUID() }, mastercard)).toEqual({})
})
