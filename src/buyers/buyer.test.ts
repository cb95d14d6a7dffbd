import { randomUUID } from 'node:crypto'
import { expect, test } from 'vitest'
import { type Client, card } from '../../test/support/railyard.ts'
import { invalidFields, openShop } from '../../test/support/shop.ts'
import { startRailyardForFile } from '../../test/support/start-railyard.ts'
import { reconciliationId } from '../api/values/reconciliation-id.ts'
import { findBuyerRow, findRequestedBuyer } from './buyer.store.ts'

const railyard = await startRailyardForFile()
const merchant: Client = await railyard.merchant()

const address = { city: 'London', country: 'GB', postal_code: 'SW1A 1AA', line1: '10 Downing Street' }
const wholeAddress = {
  ...address,
  state: null,
  state_code: null,
  house_number_or_name: null,
  line2: null,
  organization: null,
}
const tax_id = { kind: 'gb.vat', value: '123456789' }
const billing_details = { first_name: 'Ada', email_address: 'ada@example.com', address, tax_id }
const wholeBilling = { ...billing_details, last_name: null, phone_number: null, address: wholeAddress }
const nameless = {
  first_name: null,
  last_name: null,
  email_address: null,
  phone_number: null,
  address: null,
  tax_id: null,
}

const addBuyer = async (body: object = {}, by = merchant) => {
  const answer = await by.post('/buyers', body)
  expect(answer).toMatchObject({ status: 201 })
  return answer.body
}
/** The names of the events of a resource, the oldest first, and the target of the last one. */
async function eventsOf(id: string) {
  const rows = await railyard.world.run<{ name: string; target: unknown }>(
    'select name, target from events where target_id = $1 order by id',
    [id],
  )
  return { names: rows.map(({ name }) => name), last: rows.at(-1)?.target }
}

test('a buyer is created with every member, and read back', async () => {
  const external_identifier = randomUUID()
  const created = await merchant.post('/buyers', {
    display_name: 'Ada',
    external_identifier,
    account_number: '4711',
    billing_details,
  })
  expect(created).toMatchObject({ status: 201 })
  const { id, created_at } = created.body
  expect(created.body).toEqual({
    type: 'buyer',
    id,
    reconciliation_id: reconciliationId(id),
    merchant_account_id: merchant.account,
    display_name: 'Ada',
    external_identifier,
    billing_details: wholeBilling,
    account_number: '4711',
    created_at,
    updated_at: created_at,
  })
  expect(await merchant.get(`/buyers/${id}`)).toMatchObject({ status: 200, body: created.body })
  expect((await merchant.get(`/buyers/${id.toUpperCase()}`)).body).toEqual(created.body)
  expect(await eventsOf(id)).toEqual({ names: ['buyer.created'], last: created.body })
})

test('every member of a buyer is optional, and an answer has all of them', async () => {
  expect(await addBuyer()).toMatchObject({
    display_name: null,
    external_identifier: null,
    billing_details: null,
    account_number: null,
  })
  expect((await addBuyer({ billing_details: {} })).billing_details).toEqual(nameless)
  expect((await addBuyer({ billing_details: { address: {} } })).billing_details.address).toEqual(
    Object.fromEntries(Object.keys(wholeAddress).map((name) => [name, null])),
  )
})

test('an external identifier belongs to one buyer of the account, whose id is in the 409 for another one', async () => {
  const external_identifier = randomUUID()
  const taken = {
    status: 409,
    body: { code: 'duplicate_record', resource_id: (await addBuyer({ external_identifier })).id },
  }
  expect(await merchant.post('/buyers', { external_identifier })).toMatchObject(taken)
  const other = await addBuyer({ external_identifier: randomUUID() })
  expect(
    await merchant.put(`/buyers/${other.id}`, { external_identifier, display_name: 'Not kept' }),
  ).toMatchObject(taken)
  expect((await merchant.get(`/buyers/${other.id}`)).body).toEqual(other)
  expect((await eventsOf(other.id)).names).toEqual(['buyer.created'])

  await addBuyer({ external_identifier }, await railyard.merchant())
  await addBuyer({ external_identifier: external_identifier.toUpperCase() })
  expect((await merchant.put(`/buyers/${taken.body.resource_id}`, { external_identifier })).status).toBe(200)
})

test('of several requests for an external identifier at once one gets it, and the 409 of the others names its buyer', async () => {
  const external_identifier = randomUUID()
  const waiting = await Promise.all([addBuyer(), addBuyer()])
  const answers = await Promise.all([
    ...[1, 2, 3].map(() => merchant.post('/buyers', { external_identifier })),
    ...waiting.map(({ id }) => merchant.put(`/buyers/${id}`, { external_identifier })),
  ])
  const [winner, ...more] = answers.filter(({ status }) => status < 300)
  expect(more).toEqual([])
  const losers = answers.filter(({ status }) => status === 409)
  expect(losers.map(({ body }) => body.resource_id)).toEqual(Array(4).fill(winner?.body.id))
  expect((await merchant.get(`/buyers?external_identifier=${external_identifier}`)).body.items).toEqual([
    winner?.body,
  ])
})

test('the external identifier of a deleted or renamed buyer is free again', async () => {
  const [first, second] = [randomUUID(), randomUUID()]
  const { id } = await addBuyer({ external_identifier: first })
  await merchant.put(`/buyers/${id}`, { external_identifier: second })
  await addBuyer({ external_identifier: first })
  await merchant.delete(`/buyers/${id}`)
  await addBuyer({ external_identifier: second })
})

test('an update changes the members that it has, clears those that are null, and leaves the rest', async () => {
  const before = await addBuyer({
    display_name: 'Ada',
    account_number: '4711',
    external_identifier: randomUUID(),
    billing_details,
  })
  const { status, body } = await merchant.put(`/buyers/${before.id}`, {
    display_name: 'Ada Lovelace',
    account_number: null,
  })
  expect(status).toBe(200)
  expect(body).toEqual({
    ...before,
    display_name: 'Ada Lovelace',
    account_number: null,
    updated_at: expect.any(String),
  })
  expect((await merchant.put(`/buyers/${before.id}`, {})).body).toEqual(body)
  expect((await eventsOf(before.id)).names).toEqual(['buyer.created', 'buyer.updated'])
})

test('billing details are changed member by member, but an address and a tax id as a whole', async () => {
  const { id } = await addBuyer({ billing_details })
  const changes = async (update: object | null) =>
    (await merchant.put(`/buyers/${id}`, { billing_details: update })).body.billing_details
  expect(await changes({ last_name: 'Lovelace', email_address: null })).toEqual({
    ...wholeBilling,
    last_name: 'Lovelace',
    email_address: null,
  })
  expect((await changes({ address: { city: 'Paris' } })).address).toEqual({
    ...wholeAddress,
    city: 'Paris',
    country: null,
    postal_code: null,
    line1: null,
  })
  expect(await changes({ tax_id: { kind: 'eu.vat', value: 'FR1' }, address: null })).toEqual({
    ...nameless,
    first_name: 'Ada',
    last_name: 'Lovelace',
    tax_id: { kind: 'eu.vat', value: 'FR1' },
  })
  expect(await changes(null)).toBeNull()
  expect(await changes({ first_name: 'Ada' })).toEqual({ ...nameless, first_name: 'Ada' })
})

test('changes to different members at the same time are all kept', async () => {
  const { id } = await addBuyer({ billing_details })
  await Promise.all([
    merchant.put(`/buyers/${id}`, { billing_details: { first_name: 'Augusta' } }),
    merchant.put(`/buyers/${id}`, { billing_details: { last_name: 'King' } }),
    merchant.put(`/buyers/${id}`, { display_name: 'Countess' }),
  ])
  const { body } = await merchant.get(`/buyers/${id}`)
  expect(body).toMatchObject({
    display_name: 'Countess',
    billing_details: { ...wholeBilling, first_name: 'Augusta', last_name: 'King' },
  })
})

test.each([
  { display_name: '' },
  { display_name: 'x'.repeat(201) },
  { billing_details: { phone_number: '030 123456' } },
  { billing_details: { tax_id: { kind: 'gb.vat' } } },
  { billing_details: { tax_id: { kind: 'xx.none', value: '1' } } },
  { billing_details: { address: { country: 'de' } } },
  { billing_details: { first_name: 'A\u0000da' } },
  { billing_details: JSON.parse('{"__proto__":{"first_name":"Ada"}}') },
  { merchant_account_id: 'default' },
  { id: randomUUID() },
])('a buyer with %j is refused', async (body) => {
  const { id } = await addBuyer()
  for (const { status } of [await merchant.post('/buyers', body), await merchant.put(`/buyers/${id}`, body)])
    expect([400, 422]).toContain(status)
})

test('a buyer is deleted with the shipping details, and its payments and payment methods stay', async () => {
  const shop = await openShop(railyard)
  const buyer = await addBuyer({ display_name: 'Ada' }, shop)
  const other = await addBuyer({}, shop)
  const shipping = await shop.post(`/buyers/${buyer.id}/shipping-details`, { first_name: 'Ada' })
  const [stored, storedOfOther] = [await storeCard(shop, buyer.id), await storeCard(shop, other.id)]
  const payment = await shop.sold(10_00, { buyer_id: buyer.id, shipping_details_id: shipping.body.id })
  const before = await payment.read()
  expect(before).toMatchObject({
    buyer: { id: buyer.id, display_name: 'Ada' },
    shipping_details: { id: shipping.body.id },
  })

  expect(await shop.delete(`/buyers/${buyer.id}`)).toMatchObject({ status: 204, body: undefined })
  for (const { status } of [
    await shop.get(`/buyers/${buyer.id}`),
    await shop.put(`/buyers/${buyer.id}`, {}),
    await shop.delete(`/buyers/${buyer.id}`),
    await shop.get(`/buyers/${buyer.id}/shipping-details`),
    await shop.get(`/buyers/${buyer.id}/shipping-details/${shipping.body.id}`),
  ])
    expect(status).toBe(404)
  expect((await shop.get('/buyers')).body.items).toEqual([other])
  expect(await payment.read()).toEqual(before)
  expect((await shop.get(`/payment-methods/${stored}`)).body).toMatchObject({ id: stored, buyer: null })
  expect((await shop.get(`/payment-methods/${storedOfOther}`)).body).toMatchObject({
    buyer: { id: other.id },
  })
  expect(await railyard.world.run('select id from payment_methods where buyer_id = $1', [buyer.id])).toEqual(
    [],
  )
  expect(await eventsOf(buyer.id)).toEqual({ names: ['buyer.created', 'buyer.deleted'], last: buyer })
})

async function storeCard(shop: Client, buyer_id: string): Promise<string> {
  const { status, body } = await shop.post('/payment-methods', {
    method: 'card',
    number: card.number,
    expiration_date: card.expiration_date,
    buyer_id,
  })
  expect({ status, body }).toMatchObject({ status: 201, body: { buyer: { id: buyer_id } } })
  return body.id
}

test('reading and writing need their scopes', async () => {
  const { id } = await addBuyer()
  const reader = await railyard.client({ account: merchant.account, scopes: ['buyers.read'] })
  const writer = await railyard.client({ account: merchant.account, scopes: ['buyers.write'] })
  expect((await reader.get(`/buyers/${id}`)).status).toBe(200)
  expect((await reader.put(`/buyers/${id}`, {})).status).toBe(403)
  expect((await writer.put(`/buyers/${id}`, {})).status).toBe(200)
  expect((await writer.get('/buyers')).status).toBe(403)
})

test('a browser’s token reads and changes no buyers', async () => {
  const { id } = await addBuyer()
  const browser = await railyard.client({
    account: merchant.account,
    scopes: ['embed'],
    embed: { amount: 1_00, currency: 'USD', buyer_id: id },
  })
  for (const answer of [
    await browser.get('/buyers'),
    await browser.get(`/buyers/${id}`),
    await browser.post('/buyers', {}),
    await browser.put(`/buyers/${id}`, {}),
    await browser.delete(`/buyers/${id}`),
    await browser.get(`/buyers/${id}/shipping-details`),
    await browser.post(`/buyers/${id}/shipping-details`, {}),
  ])
    expect(answer).toMatchObject({ status: 403, body: { code: 'forbidden' } })
})

test('a request names a buyer by id or by external identifier, and not by both', async () => {
  const { world } = railyard
  const external_identifier = randomUUID()
  const { id } = await addBuyer({ external_identifier })
  const findRequested = (input: Parameters<typeof findRequestedBuyer>[2], pointer?: string) =>
    findRequestedBuyer(world, merchant.account, input, pointer)
  /** As an error in the code, where `invalidFields` describes an answer. */
  const refusal = (...pointers: string[]) => ({
    status: 400,
    message: invalidFields().body.message,
    details: pointers.map((pointer) => ({ pointer })),
  })

  expect(await findRequested({ buyer_id: null })).toBeUndefined()
  expect(await findRequested({ buyer_id: id, buyer_external_identifier: null })).toMatchObject({ id })
  expect(await findRequested({ buyer_external_identifier: external_identifier })).toMatchObject({ id })
  await expect(
    findRequested({ buyer_id: id, buyer_external_identifier: external_identifier }),
  ).rejects.toMatchObject(refusal('/buyer_id'))
  await expect(findRequested({ buyer_id: randomUUID() }, '/payment_method')).rejects.toMatchObject(
    refusal('/payment_method/buyer_id'),
  )
  await expect(findRequested({ buyer_external_identifier: '' })).rejects.toMatchObject(
    refusal('/buyer_external_identifier'),
  )
  await expect(findRequestedBuyer(world, 'default', { buyer_id: id })).rejects.toMatchObject(
    refusal('/buyer_id'),
  )
  expect(await findBuyerRow(world, merchant.account, { id: 'no uuid' })).toBeUndefined()
  expect(await findBuyerRow(world, merchant.account, {})).toBeUndefined()
})
