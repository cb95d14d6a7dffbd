import { afterAll, beforeAll, expect, test } from 'vitest'
import { startTestRailyard, type TestRailyard } from '../../test/support/railyard.ts'

let railyard: TestRailyard
beforeAll(async () => {
  railyard = await startTestRailyard({ CONNECTORS: './connectors/_template' })
})
afterAll(() => railyard.close())

test('a merchant configures a payment service of a connector that CONNECTORS names', async () => {
  const { body: shown } = await railyard.admin.get('/payment-service-definitions/acme-card')
  expect(shown).toMatchObject({ id: 'acme-card', method: 'card', simulated_features: [] })
  const { status, body } = await railyard.admin.post('/payment-services', {
    payment_service_definition_id: 'acme-card',
    display_name: 'Acme',
    fields: [
      { key: 'api_key', value: 'acme_test_key_1' },
      { key: 'webhook_secret', value: 'acme_test_secret_1' },
    ],
    accepted_currencies: ['EUR'],
    accepted_countries: ['DE'],
  })
  expect(status, JSON.stringify(body)).toBe(201)
  expect(body.fields).not.toContainEqual(expect.objectContaining({ value: 'acme_test_key_1' }))
})
