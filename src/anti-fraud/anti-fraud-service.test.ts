import { expect, test } from 'vitest'
import { addAntiFraudService, mockAntiFraudService } from '../../test/support/domains/anti-fraud.ts'
import { invalidFields } from '../../test/support/shop.ts'
import { startRailyardForFile } from '../../test/support/start-railyard.ts'
import { screeningService } from './screening-service.ts'

const railyard = await startRailyardForFile()

const screeningServiceOf = async (account: string) => (await screeningService(railyard.world, account))?.id

test('an anti-fraud service is configured, read, changed and deleted, and no answer has its secret', async () => {
  const m = await railyard.merchant()
  const created = await m.post(
    '/anti-fraud-services',
    mockAntiFraudService({ fields: [{ key: 'api_key', value: 'hunter2' }] }),
  )
  const { id, created_at, webhook_url } = created.body
  expect(created).toMatchObject({ status: 201 })
  expect(created.body).toEqual({
    type: 'anti-fraud-service',
    id,
    merchant_account_id: m.account,
    anti_fraud_service_definition_id: 'mock-anti-fraud',
    display_name: 'Fraud checks',
    active: true,
    position: 1,
    fields: [],
    webhook_url,
    is_deleted: false,
    created_at,
    updated_at: created_at,
  })
  expect(webhook_url).toContain(`/anti-fraud-notifications/${m.account}/${id}/`)
  const at = `/anti-fraud-services/${id}`
  expect((await m.get(at)).body).toEqual(created.body)
  expect((await m.put(at, { display_name: 'Renamed', position: 7 })).body).toMatchObject({
    display_name: 'Renamed',
    active: true,
    position: 7,
  })
  expect((await m.get('/anti-fraud-services')).body.items).toMatchObject([{ id, display_name: 'Renamed' }])
  const rows = await railyard.world.run('select * from anti_fraud_services where id = $1', [id])
  expect(JSON.stringify(rows.map((row) => ({ ...row, secrets: String(row['secrets']) })))).not.toContain(
    'hunter2',
  )

  expect((await m.delete(at)).status).toBe(204)
  for (const answer of [await m.get(at), await m.put(at, { active: true }), await m.delete(at)])
    expect(answer.status).toBe(404)
  expect((await m.get('/anti-fraud-services')).body.items).toEqual([])
})

test('of several active services the first by position, then the oldest, checks payments, and a change takes effect at once', async () => {
  const m = await railyard.merchant()
  expect(await screeningServiceOf(m.account)).toBeUndefined()
  const last = await addAntiFraudService(railyard, m, { position: 5 })
  expect(await screeningServiceOf(m.account)).toBe(last.id)
  const first = await addAntiFraudService(railyard, m, { position: 2 })
  const second = await addAntiFraudService(railyard, m, { position: 2 })
  await addAntiFraudService(railyard, m, { position: 0, active: false })
  expect(await screeningServiceOf(m.account)).toBe(first.id)
  await m.put(`/anti-fraud-services/${first.id}`, { active: false })
  expect(await screeningServiceOf(m.account)).toBe(second.id)
  await m.delete(`/anti-fraud-services/${second.id}`)
  expect(await screeningServiceOf(m.account)).toBe(last.id)
})

test('a service without a position comes after the account’s last one', async () => {
  const m = await railyard.merchant()
  await addAntiFraudService(railyard, m, { position: 41 })
  expect((await m.post('/anti-fraud-services', mockAntiFraudService())).body).toMatchObject({ position: 42 })
})

test('a service with unknown or missing fields is refused', async () => {
  const m = await railyard.merchant()
  const create = (more: object) => m.post('/anti-fraud-services', mockAntiFraudService(more))
  expect(await create({ fields: [] })).toMatchObject(invalidFields('/fields'))
  expect(
    await create({ fields: [...mockAntiFraudService().fields, { key: '__proto__', value: 'red' }] }),
  ).toMatchObject(invalidFields('/fields/1/key'))
  expect(await create({ anti_fraud_service_definition_id: 'mock-card' })).toMatchObject(
    invalidFields('/anti_fraud_service_definition_id'),
  )
  expect((await create({ position: 3_000_000_000 })).status).toBe(422)
  expect((await create({ display_name: '\u0000' })).status).toBe(422)
  const { id } = await addAntiFraudService(railyard, m)
  expect(
    await m.put(`/anti-fraud-services/${id}`, { fields: [{ key: 'api_key', value: '' }] }),
  ).toMatchObject(invalidFields('/fields/0/value'))
})

test('the list goes page by page, the newest first', async () => {
  const m = await railyard.merchant()
  const ids: string[] = []
  for (let count = 0; count < 3; count++) ids.unshift((await addAntiFraudService(railyard, m)).id)
  const first = (await m.get('/anti-fraud-services?limit=2')).body
  const second = (await m.get(`/anti-fraud-services?limit=2&cursor=${first.next_cursor}`)).body
  const idsOf = (page: { items: { id: string }[] }) => page.items.map(({ id }) => id)
  expect([...idsOf(first), ...idsOf(second)]).toEqual(ids)
  expect(second.next_cursor).toBeNull()
})

test('the definitions list the fields of each service', async () => {
  const m = await railyard.merchant()
  expect((await m.get('/anti-fraud-service-definitions')).body).toEqual({
    items: [
      {
        type: 'anti-fraud-service-definition',
        id: 'mock-anti-fraud',
        display_name: 'Mock anti-fraud',
        fields: [{ key: 'api_key', display_name: 'API Key', required: true, format: 'text', secret: true }],
      },
    ],
  })
})
