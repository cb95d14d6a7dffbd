import { expect, test } from 'vitest'
import {
  addGiftCardService,
  mockGiftCardService,
  newGiftCard,
} from '../../../test/support/domains/gift-cards.ts'
import { invalidFields } from '../../../test/support/shop.ts'
import { startRailyardForFile } from '../../../test/support/start-railyard.ts'

const railyard = await startRailyardForFile()

const newMerchant = () => railyard.merchant()
const inactive = mockGiftCardService({ active: false })

test('a gift card service is configured, read, changed and deleted, and no answer has its secret', async () => {
  const m = await newMerchant()
  const created = await m.post(
    '/gift-card-services',
    mockGiftCardService({ fields: [{ key: 'api_key', value: 'hunter2' }] }),
  )
  expect(created).toMatchObject({ status: 201 })
  const { id, created_at } = created.body
  expect(created.body).toEqual({
    type: 'gift-card-service',
    id,
    merchant_account_id: m.account,
    gift_card_service_definition_id: 'mock-gift-card',
    display_name: 'Gift cards',
    active: true,
    fields: [],
    is_deleted: false,
    created_at,
    updated_at: created_at,
  })
  const at = `/gift-card-services/${id}`
  expect((await m.get(at)).body).toEqual(created.body)
  expect((await m.put(at, { display_name: 'Renamed' })).body).toMatchObject({
    display_name: 'Renamed',
    active: true,
  })
  expect((await m.get('/gift-card-services')).body.items).toMatchObject([{ id, display_name: 'Renamed' }])
  const rows = await railyard.world.run('select * from gift_card_services where id = $1', [id])
  expect(JSON.stringify(rows.map((row) => ({ ...row, secrets: String(row['secrets']) })))).not.toContain(
    'hunter2',
  )

  expect((await m.delete(at)).status).toBe(204)
  for (const answer of [await m.get(at), await m.put(at, { active: true }), await m.delete(at)])
    expect(answer.status).toBe(404)
  expect((await m.get('/gift-card-services')).body.items).toEqual([])
})

test('a second active service is a 409 that names the first, until the first is switched off', async () => {
  const m = await newMerchant()
  const first = await addGiftCardService(railyard, m)
  const taken = { status: 409, body: { code: 'duplicate_record', resource_id: first } }
  expect(await m.post('/gift-card-services', mockGiftCardService())).toMatchObject(taken)
  const second = await m.post('/gift-card-services', inactive)
  expect(second).toMatchObject({ status: 201, body: { active: false } })
  const at = `/gift-card-services/${second.body.id}`
  expect(await m.put(at, { active: true })).toMatchObject(taken)
  await m.put(`/gift-card-services/${first}`, { active: false })
  expect(await m.put(at, { active: true })).toMatchObject({ status: 200, body: { active: true } })
})

test('of several services that are made active at once, one becomes active', async () => {
  const m = await newMerchant()
  const answers = await Promise.all(
    Array.from({ length: 5 }, () => m.post('/gift-card-services', mockGiftCardService())),
  )
  expect(answers.map(({ status }) => status).sort()).toEqual([201, 409, 409, 409, 409])
  const winner = answers.find(({ status }) => status === 201)
  for (const { status, body } of answers) if (status === 409) expect(body.resource_id).toBe(winner?.body.id)
})

test('a service with unknown or missing fields is refused', async () => {
  const m = await newMerchant()
  const create = (more: object) => m.post('/gift-card-services', mockGiftCardService(more))
  expect(await create({ fields: [] })).toMatchObject(invalidFields('/fields'))
  expect(
    await create({ fields: [...mockGiftCardService().fields, { key: 'colour', value: 'red' }] }),
  ).toMatchObject(invalidFields('/fields/1/key'))
  expect(await create({ gift_card_service_definition_id: 'qwikcilver-gift-card' })).toMatchObject(
    invalidFields('/gift_card_service_definition_id'),
  )
  expect((await create({ gift_card_service_definition_id: 'mock-card' })).status).toBe(422)
  const service = await addGiftCardService(railyard, m)
  const withoutKey = await m.put(`/gift-card-services/${service}`, {
    fields: [{ key: 'api_key', value: '' }],
  })
  expect(withoutKey).toMatchObject(invalidFields('/fields/0/value'))
})

test('gift cards are refused while no service is active, and a change takes effect at once', async () => {
  const m = await newMerchant()
  const requests = () => [
    m.post('/gift-cards', newGiftCard()),
    m.post('/gift-cards/balances', { items: [newGiftCard()] }),
    m.post('/gift-cards/activations', { number: newGiftCard().number }),
    m.post('/gift-cards/issuances', { theme: 'birthday', amount: 10_00, currency: 'EUR' }),
  ]
  const statuses = async () => (await Promise.all(requests())).map(({ status }) => status)
  expect(await statuses()).toEqual([400, 400, 400, 400])
  const service = await addGiftCardService(railyard, m)
  expect(await statuses()).toEqual([201, 200, 201, 201])
  await m.put(`/gift-card-services/${service}`, { active: false })
  expect(await statuses()).toEqual([400, 400, 400, 400])
})

test('the list goes page by page, the newest first', async () => {
  const m = await newMerchant()
  const created: string[] = []
  for (let count = 0; count < 3; count++)
    created.unshift((await m.post('/gift-card-services', inactive)).body.id)
  const first = await m.get('/gift-card-services?limit=2')
  const second = await m.get(`/gift-card-services?limit=2&cursor=${first.body.next_cursor}`)
  const back = await m.get(`/gift-card-services?limit=2&cursor=${second.body.previous_cursor}`)
  const ids = (answer: typeof first) => answer.body.items.map(({ id }: { id: string }) => id)
  expect([ids(first), ids(second), ids(back)]).toEqual([
    created.slice(0, 2),
    created.slice(2),
    created.slice(0, 2),
  ])
})

test('a new sandbox has a gift card service', async () => {
  expect((await railyard.admin.get('/gift-card-services')).body.items).toMatchObject([
    { gift_card_service_definition_id: 'mock-gift-card', active: true },
  ])
})
