import { expect, test } from 'vitest'
import { addPageProvider, pageProvider } from '../../test/support/domains/page-provider.ts'
import { openShop } from '../../test/support/shop.ts'
import { startRailyardForFile } from '../../test/support/start-railyard.ts'
import type { Connector, RegistrationAnswer } from '../connectors/contract/connector.ts'
import { definition as mockCard } from '../connectors/mock-card/definition.ts'

const railyard = await startRailyardForFile()
const shop = await openShop(railyard)

/** The URLs that the provider was given, and what it answers next. */
const registered: string[] = []
let answer: () => Promise<RegistrationAnswer>
const fields: Connector['definition']['fields'] = [
  { key: 'webhook_secret', displayName: 'Secret', required: false, secret: true, format: 'text' },
]

const provider = pageProvider('registers')
provider.connector = {
  ...provider.connector,
  definition: { ...provider.connector.definition, fields },
  registerNotifications: async ({ service }) => {
    registered.push(service.notificationUrl)
    return answer()
  },
  readNotification: async ({ service: { fields } }, { headers, body }) =>
    headers['x-secret'] === fields['webhook_secret']
      ? { about: 'operation', operation: String(body['operation']) }
      : { about: 'forged' },
}
const service = await addPageProvider(railyard, shop.account, provider)
const register = (id = service) => shop.post(`/payment-services/${id}/register-webhook`)
const succeeds = (secret: string) => async (): Promise<RegistrationAnswer> => ({
  status: 'registered',
  fields: { webhook_secret: secret },
})

async function isAccepted(secret: string): Promise<boolean> {
  const { webhook_url } = (await shop.get(`/payment-services/${service}`)).body
  const { status } = await railyard.send('POST', new URL(webhook_url).pathname, {
    body: JSON.stringify({ operation: crypto.randomUUID() }),
    headers: { 'content-type': 'application/json', 'x-secret': secret },
  })
  return status !== 401
}

test('the provider gets the webhook URL, and its secret verifies notifications from then on', async () => {
  answer = succeeds('first')
  const { status, body } = await register()
  expect({ status, fields: body.fields }).toEqual({ status: 200, fields: [] })
  expect(registered).toEqual([body.webhook_url])
  expect([await isAccepted('first'), await isAccepted('other')]).toEqual([true, false])
})

test('a repeated registration replaces the secret', async () => {
  answer = succeeds('second')
  expect(await register()).toMatchObject({ status: 200 })
  expect([await isAccepted('first'), await isAccepted('second')]).toEqual([false, true])
})

test.each<[RegistrationAnswer, number, string]>([
  [{ status: 'refused', reason: 'not permitted' }, 400, 'The payment service refused: not permitted'],
  [{ status: 'unknown', reason: 'no answer in time' }, 502, 'send the request again'],
])('$0.status: the secret stays, and the error says what to do', async (refusal, status, message) => {
  answer = async () => refusal
  expect(await register()).toMatchObject({ status, body: { message: expect.stringContaining(message) } })
  expect(await isAccepted('second')).toBe(true)
})

test('a registration during which the fields change is answered with 409 and changes nothing', async () => {
  answer = async () => {
    answer = succeeds('inner')
    expect(await register()).toMatchObject({ status: 200 })
    return { status: 'registered', fields: { webhook_secret: 'outer' } }
  }
  expect(await register()).toMatchObject({ status: 409, body: { code: 'concurrent_request' } })
  expect([await isAccepted('inner'), await isAccepted('outer')]).toEqual([true, false])
})

test('a service that needs no registration stays as it is', async () => {
  const before = (await shop.get(`/payment-services/${shop.paymentServiceId}`)).body
  expect(await register(shop.paymentServiceId)).toMatchObject({ status: 200, body: before })
})

test('a service whose provider has no API for it says where to enter the URL', async () => {
  const byHand = pageProvider('by-hand')
  byHand.connector.definition = {
    ...byHand.connector.definition,
    features: { ...mockCard.features, requires_webhook_setup: true },
  }
  const id = await addPageProvider(railyard, shop.account, byHand)
  expect(await register(id)).toMatchObject({
    status: 400,
    body: { message: expect.stringContaining('enter its webhook_url') },
  })
})

test('a deleted service has no webhook to register', async () => {
  const id = await addPageProvider(railyard, shop.account, pageProvider('deleted'))
  await shop.delete(`/payment-services/${id}`)
  expect(await register(id)).toMatchObject({ status: 404 })
})
