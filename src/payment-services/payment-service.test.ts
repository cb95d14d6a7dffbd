import { randomUUID } from 'node:crypto'
import { expect, test } from 'vitest'
import type { Client } from '../../test/support/railyard.ts'
import { startRailyardForFile } from '../../test/support/start-railyard.ts'
import { insertService, updateService } from '../configured-services/configured-service.store.ts'
import { paymentService, paymentServiceKind } from './payment-service.store.ts'
import { newServiceSettings } from './payment-service.ts'

const railyard = await startRailyardForFile()

/** A merchant without any configured service. */
async function newMerchant(scopes = ['*.read', '*.write']): Promise<Client> {
  const account = `m-${randomUUID()}`
  await railyard.admin.post('/merchant-accounts', { id: account, display_name: 'Shop' })
  return railyard.client({ account, merchantAccountIds: [account], scopes })
}

const mockCard = (merchantId = 'm-1') => ({
  display_name: 'Cards',
  payment_service_definition_id: 'mock-card',
  fields: [{ key: 'merchant_id', value: merchantId }],
  accepted_currencies: ['USD', 'EUR'],
  accepted_countries: ['US', 'DE'],
})
const configure = async (m: Client, more: object = {}) =>
  (await m.post('/payment-services', { ...mockCard(), ...more })).body
const ids = (body: { items: { id: string }[] }) => body.items.map(({ id }) => id)

test('a payment service is configured and read back', async () => {
  const m = await newMerchant()
  const created = await m.post('/payment-services', mockCard())
  expect(created.status).toBe(201)
  expect(created.body).toMatchObject({
    type: 'payment-service',
    merchant_account_id: m.account,
    payment_service_definition_id: 'mock-card',
    method: 'card',
    active: true,
    status: 'created',
    three_d_secure_enabled: false,
    fields: [{ key: 'merchant_id', value: 'm-1' }],
    reporting_fields: [],
    merchant_profile: null,
    is_deleted: false,
  })
  expect(created.body.webhook_url).toContain(`/notifications/${m.account}/${created.body.id}/`)
  expect(await m.get(`/payment-services/${created.body.id}`)).toMatchObject({
    status: 200,
    body: created.body,
  })
})

test('another account can neither read nor change a payment service', async () => {
  const service = await configure(await newMerchant())
  const stranger = await newMerchant()
  const path = `/payment-services/${service.id}`
  expect((await stranger.get(path)).status).toBe(404)
  expect((await stranger.put(path, { active: false })).status).toBe(404)
  expect((await stranger.delete(path)).status).toBe(404)
  expect((await stranger.post(`${path}/sessions`, {})).status).toBe(404)
  expect((await stranger.get('/payment-services')).body.items).toEqual([])
})

test('each broken rule is reported on its field', async () => {
  const m = await newMerchant()
  const answer = await m.post('/payment-services', {
    ...mockCard(),
    fields: [{ key: 'colour', value: 'red' }],
    accepted_currencies: ['ZZZ'],
  })
  expect(answer.status).toBe(400)
  expect(answer.body.details.map(({ pointer }: { pointer: string }) => pointer)).toEqual([
    '/fields/0/key',
    '/fields',
    '/accepted_currencies/0',
  ])
  expect(
    await m.post('/payment-services', { ...mockCard(), payment_service_definition_id: 'no-such' }),
  ).toMatchObject({
    status: 400,
    body: { details: [{ pointer: '/payment_service_definition_id' }] },
  })
  expect((await m.post('/payment-services', { ...mockCard(), accepted_currencies: [] })).status).toBe(422)
})

test('services are listed by position, page by page, and a new one comes last', async () => {
  const m = await newMerchant()
  const first = await configure(m)
  const second = await configure(m)
  const urgent = await configure(m, { position: 0 })
  expect([first.position, second.position]).toEqual([1, 2])
  const twin = await configure(m, { position: 2 })
  const order = [urgent.id, first.id, twin.id, second.id]
  expect(ids((await m.get('/payment-services')).body)).toEqual(order)

  const page = await m.get('/payment-services?limit=3')
  expect(ids(page.body)).toEqual(order.slice(0, 3))
  const rest = await m.get(`/payment-services?limit=3&cursor=${page.body.next_cursor}`)
  expect(ids(rest.body)).toEqual(order.slice(3))
  expect(rest.body.next_cursor).toBeNull()
  const back = await m.get(`/payment-services?limit=3&cursor=${rest.body.previous_cursor}`)
  expect(back.body.items).toEqual(page.body.items)
  expect((await m.get(`/payment-services?method=card&cursor=${page.body.next_cursor}`)).status).toBe(400)
})

test('the list is filtered by method', async () => {
  const m = await newMerchant()
  const service = await configure(m)
  expect(ids((await m.get('/payment-services?method=card')).body)).toEqual([service.id])
  expect(ids((await m.get('/payment-services?method=pix')).body)).toEqual([])
  expect((await m.get('/payment-services?method=coins')).status).toBe(422)
})

test('an update changes the settings that it names', async () => {
  const m = await newMerchant()
  const { id, created_at } = await configure(m, { three_d_secure_enabled: true })
  const updated = await m.put(`/payment-services/${id}`, {
    display_name: 'More cards',
    fields: [{ key: 'merchant_id', value: 'm-2' }],
    active: false,
  })
  expect(updated).toMatchObject({
    status: 200,
    body: {
      display_name: 'More cards',
      active: false,
      fields: [{ key: 'merchant_id', value: 'm-2' }],
      three_d_secure_enabled: true,
      accepted_currencies: ['USD', 'EUR'],
      created_at,
    },
  })
  expect(
    await m.put(`/payment-services/${id}`, { fields: [{ key: 'merchant_id', value: '' }] }),
  ).toMatchObject({
    status: 400,
    body: { details: [{ pointer: '/fields/0/value' }] },
  })
})

test('a merchant profile has an entry for each scheme, with the time at which it was added', async () => {
  const m = await newMerchant()
  const visa = {
    merchant_acquirer_bin: '400000',
    merchant_acquirer_id: 'acquirer',
    merchant_name: 'Shop',
    merchant_country_code: '276',
    merchant_category_code: '5411',
    merchant_url: 'https://shop.example',
  }
  const service = await configure(m, { merchant_profile: { visa, amex: null } })
  expect(service.merchant_profile).toEqual({ visa: { ...visa, created_at: expect.any(String) }, amex: null })
  expect(
    (await m.put(`/payment-services/${service.id}`, { merchant_profile: null })).body.merchant_profile,
  ).toBeNull()
  expect((await m.put(`/payment-services/${service.id}`, { merchant_profile: { gold: visa } })).status).toBe(
    400,
  )
  const wrong = await m.put(`/payment-services/${service.id}`, {
    merchant_profile: { visa: { ...visa, merchant_country_code: 'DE' } },
  })
  expect(wrong).toMatchObject({
    status: 400,
    body: { details: [{ pointer: '/merchant_profile/visa/merchant_country_code' }] },
  })
})

test('a deleted service is found only in the list of deleted services', async () => {
  const m = await newMerchant()
  const [other, deletedService] = [await configure(m), await configure(m)]
  expect(await m.delete(`/payment-services/${deletedService.id}`)).toMatchObject({ status: 204 })
  for (const answer of [
    await m.get(`/payment-services/${deletedService.id}`),
    await m.put(`/payment-services/${deletedService.id}`, { active: true }),
    await m.delete(`/payment-services/${deletedService.id}`),
    await m.post(`/payment-services/${deletedService.id}/sessions`, {}),
  ]) {
    expect(answer.status).toBe(404)
  }
  expect(ids((await m.get('/payment-services')).body)).toEqual([other.id])
  const deleted = await m.get('/payment-services?deleted=true')
  expect(deleted.body.items).toMatchObject([{ id: deletedService.id, is_deleted: true }])
})

test('credentials are verified by asking the payment service', async () => {
  const m = await newMerchant()
  const verify = (merchantId: string, more: object = {}) =>
    m.post('/payment-services/verify', {
      payment_service_definition_id: 'mock-card',
      fields: [{ key: 'merchant_id', value: merchantId }],
      ...more,
    })
  expect((await verify('m-1')).status).toBe(200)
  expect(await verify('invalid')).toMatchObject({ status: 400, body: { code: 'invalid_credentials' } })
  expect(await verify('m-1', { payment_service_definition_id: 'no-such' })).toMatchObject({
    status: 400,
    body: { code: 'bad_request' },
  })
  expect(await verify('m-1', { fields: [] })).toMatchObject({
    status: 400,
    body: { details: [{ pointer: '/fields' }] },
  })
})

test('a field that a verification does not name is taken from the configured service', async () => {
  const m = await newMerchant()
  const service = await configure(m)
  const body = { payment_service_definition_id: 'mock-card', payment_service_id: service.id, fields: [] }
  expect((await m.post('/payment-services/verify', body)).status).toBe(200)
  await m.put(`/payment-services/${service.id}`, { fields: [{ key: 'merchant_id', value: 'invalid' }] })
  expect(await m.post('/payment-services/verify', body)).toMatchObject({
    status: 400,
    body: { code: 'invalid_credentials' },
  })
  expect(
    await m.post('/payment-services/verify', { ...body, payment_service_id: randomUUID() }),
  ).toMatchObject({
    status: 400,
    body: { details: [{ pointer: '/payment_service_id' }] },
  })
})

test('a session has the payment service’s answer, also a refusal', async () => {
  const m = await newMerchant()
  const service = await configure(m)
  expect(await m.post(`/payment-services/${service.id}/sessions`, { colour: 'red' })).toMatchObject({
    status: 200,
    body: {
      type: 'payment-service-session',
      status: 'succeeded',
      code: null,
      status_code: 200,
      response_body: { colour: 'red' },
    },
  })
  await m.put(`/payment-services/${service.id}`, { fields: [{ key: 'merchant_id', value: 'invalid' }] })
  expect(await m.post(`/payment-services/${service.id}/sessions`, {})).toMatchObject({
    status: 200,
    body: { status: 'failed', code: 'invalid_service_credentials', status_code: 401 },
  })
  await m.put(`/payment-services/${service.id}`, { active: false })
  expect((await m.post(`/payment-services/${service.id}/sessions`, {})).status).toBe(404)
})

test('secret fields are sealed, go to the payment service, and are never answered', async () => {
  const { world } = railyard
  const { account } = await newMerchant()
  const mock = world.connectors.get('mock-card')
  if (!mock) throw new Error('the sandbox has a mock card')
  const key = {
    key: 'api_key',
    displayName: 'API key',
    required: true,
    secret: true,
    format: 'text' as const,
  }
  const definition = { ...mock.definition, fields: [...mock.definition.fields, key] }
  const settings = {
    ...newServiceSettings(definition),
    display_name: 'Cards',
    values: { merchant_id: 'm-1', api_key: 'hunter2' },
  }
  const answer = await insertService(world, paymentServiceKind, account, definition, settings)
  expect(answer.fields).toEqual([{ key: 'merchant_id', value: 'm-1' }])
  expect(await paymentService(world, account, answer.id)).toMatchObject({
    values: { merchant_id: 'm-1', api_key: 'hunter2' },
  })

  const renamed = await updateService(world, paymentServiceKind, account, answer.id, (_, before) => ({
    definition,
    settings: { ...before, display_name: 'Renamed' },
  }))
  expect(renamed).toMatchObject({ display_name: 'Renamed', fields: [{ key: 'merchant_id', value: 'm-1' }] })
  const row = await paymentService(world, account, answer.id)
  expect(row?.values).toEqual({ merchant_id: 'm-1', api_key: 'hunter2' })
  expect(JSON.stringify({ ...row, values: null, secrets: row?.secrets?.toString('latin1') })).not.toContain(
    'hunter2',
  )
})

test('the definitions list every kind of payment service', async () => {
  const m = await newMerchant()
  const { body } = await m.get('/payment-service-definitions?limit=100')
  expect(body.items).toContainEqual(
    expect.objectContaining({ id: 'mock-card', method: 'card', mode: 'card' }),
  )
  const definition = await m.get('/payment-service-definitions/mock-card')
  expect(definition.status).toBe(200)
  expect(definition.body.supported_countries).toHaveLength(249)
  expect(definition.body.supported_currencies).toContain('JPY')
  expect((await m.get('/payment-service-definitions/no-such')).status).toBe(404)
})

test('a session can be opened with a definition alone', async () => {
  const m = await newMerchant()
  const answer = await m.post('/payment-service-definitions/mock-card/sessions', {})
  expect(answer).toMatchObject({
    status: 200,
    body: { type: 'payment-service-session', status: 'succeeded' },
  })
  expect((await m.post('/payment-service-definitions/no-such/sessions', {})).status).toBe(404)
})

test('each operation needs its scope', async () => {
  const reader = await newMerchant(['payment-services.read'])
  expect((await reader.get('/payment-services')).status).toBe(200)
  expect((await reader.post('/payment-services', mockCard())).status).toBe(403)
  expect((await reader.get('/payment-service-definitions')).status).toBe(403)
})
