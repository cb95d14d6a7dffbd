import { randomUUID } from 'node:crypto'
import { expect, test } from 'vitest'
import type { Client } from '../../test/support/railyard.ts'
import { startRailyardForFile } from '../../test/support/start-railyard.ts'

const railyard = await startRailyardForFile()
const merchant: Client = await railyard.merchant()
const buyer: string = (await merchant.post('/buyers', { display_name: 'Ada' })).body.id
/** The buyer's shipping details. */
const at = `/buyers/${buyer}/shipping-details`

const details = {
  first_name: 'Ada',
  last_name: 'Lovelace',
  email_address: 'ada@example.com',
  phone_number: '+442071234567',
  address: {
    city: 'London',
    country: 'GB',
    postal_code: 'SW1A 1AA',
    state: 'England',
    state_code: 'GB-ENG',
    house_number_or_name: '10',
    line1: '10 Downing Street',
    line2: 'Basement',
    organization: 'Analytical Engines',
  },
}
const nowhere = Object.fromEntries(Object.keys(details.address).map((name) => [name, null]))
const names = async (id: string) =>
  (await railyard.world.run('select name from events where target_id = $1 order by id', [id])).map(
    ({ name }) => name,
  )

test('shipping details are created, read, changed and deleted, each change with its event', async () => {
  const { status, body } = await merchant.post(at, details)
  const { id } = body
  expect({ status, body }).toEqual({
    status: 201,
    body: { type: 'shipping-details', id, buyer_id: buyer, ...details },
  })
  expect(await merchant.get(`${at}/${id}`)).toMatchObject({ status: 200, body })

  const moved = await merchant.put(`${at}/${id}`, { address: { city: 'Paris' }, phone_number: null })
  expect(moved).toMatchObject({ status: 200 })
  expect(moved.body).toEqual({ ...body, phone_number: null, address: { ...nowhere, city: 'Paris' } })
  expect((await merchant.put(`${at}/${id}`, {})).body).toEqual(moved.body)
  expect((await merchant.put(`${at}/${id}`, { address: null })).body).toEqual({
    ...moved.body,
    address: null,
  })

  expect((await merchant.delete(`${at}/${id}`)).status).toBe(204)
  for (const answer of [
    await merchant.get(`${at}/${id}`),
    await merchant.put(`${at}/${id}`, {}),
    await merchant.delete(`${at}/${id}`),
  ])
    expect(answer).toMatchObject({ status: 404, body: { code: 'not_found' } })
  const updates = Array(2).fill('shipping-details.updated')
  expect(await names(id)).toEqual(['shipping-details.created', ...updates, 'shipping-details.deleted'])
  expect(await names(buyer)).toEqual(['buyer.created'])
})

test('every member of shipping details is optional', async () => {
  const { status, body } = await merchant.post(at, {})
  const blank = { first_name: null, last_name: null, email_address: null, phone_number: null, address: null }
  expect({ status, body }).toEqual({
    status: 201,
    body: { type: 'shipping-details', id: body.id, buyer_id: buyer, ...blank },
  })
  expect((await merchant.post(at, { address: {} })).body.address).toEqual(nowhere)
})

test('the list has the shipping details of one buyer, the newest first', async () => {
  const { body: shopper } = await merchant.post('/buyers', {})
  const path = `/buyers/${shopper.id}/shipping-details`
  expect((await merchant.get(path)).body).toEqual({ items: [] })
  const first = (await merchant.post(path, { first_name: 'First' })).body
  const second = (await merchant.post(path, { first_name: 'Second' })).body
  await merchant.post(at, details)
  await merchant.put(`${path}/${first.id}`, { last_name: 'Changed' })
  expect(await merchant.get(path)).toMatchObject({
    status: 200,
    body: { items: [second, { ...first, last_name: 'Changed' }] },
  })
  expect((await merchant.get(path)).body.items).toHaveLength(2)
})

test('shipping details are found under their own buyer only', async () => {
  const { id } = (await merchant.post(at, details)).body
  const { body: other } = await merchant.post('/buyers', {})
  const stranger = await railyard.merchant()
  for (const [by, path] of [
    [merchant, `/buyers/${other.id}/shipping-details/${id}`],
    [merchant, `/buyers/${randomUUID()}/shipping-details/${id}`],
    [stranger, `${at}/${id}`],
  ] as const) {
    for (const { status } of [
      await by.get(path),
      await by.put(path, { first_name: 'Mine' }),
      await by.delete(path),
    ])
      expect(status).toBe(404)
  }
  expect((await merchant.get(`${at}/${id}`)).body).toMatchObject(details)
})

test('shipping details of a buyer that does not exist can be neither read nor created', async () => {
  const path = `/buyers/${randomUUID()}/shipping-details`
  expect((await merchant.get(path)).status).toBe(404)
  expect((await merchant.post(path, details)).status).toBe(404)
  expect((await merchant.get('/buyers/ada/shipping-details')).status).toBe(422)
})

test('shipping details that are created while their buyer is deleted are deleted with it, or refused', async () => {
  const { body: shopper } = await merchant.post('/buyers', {})
  const path = `/buyers/${shopper.id}`
  const [deleted, ...added] = await Promise.all([
    merchant.delete(path),
    ...[1, 2, 3].map(() => merchant.post(`${path}/shipping-details`, details)),
  ])
  expect(deleted?.status).toBe(204)
  for (const { status } of added) expect([201, 404]).toContain(status)
  expect(
    await railyard.world.run('select id from shipping_details where buyer_id = $1', [shopper.id]),
  ).toEqual([])
})

test.each([
  { first_name: '' },
  { phone_number: '12' },
  { address: { state_code: 'England' } },
  { address: 'London' },
  { buyer_id: randomUUID() },
  { last_name: '\ud800' },
])('shipping details with %j are refused', async (body) => {
  const { id } = (await merchant.post(at, {})).body
  for (const { status } of [await merchant.post(at, body), await merchant.put(`${at}/${id}`, body)])
    expect(status).toBe(422)
})
