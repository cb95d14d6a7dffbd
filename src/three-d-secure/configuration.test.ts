import { expect, test } from 'vitest'
import { threeDSConfiguration } from '../../test/support/domains/three-d-secure-configuration.ts'
import { invalidFields } from '../../test/support/shop.ts'
import { startRailyardForFile } from '../../test/support/start-railyard.ts'

const railyard = await startRailyardForFile()

async function newMerchant() {
  const merchant = await railyard.merchant()
  const at = `/merchant-accounts/${merchant.account}/three-ds-configurations`
  return {
    ...merchant,
    at,
    create: (more: Record<string, unknown> = {}) => merchant.post(at, threeDSConfiguration(more)),
    list: async (query = '') => (await merchant.get(`${at}${query}`)).body.items,
  }
}

test('a configuration is created, listed, changed member by member, and deleted', async () => {
  const merchant = await newMerchant()
  const { status, body } = await merchant.create({ currency: 'USD', metadata: { shop: 'a' } })
  expect({ status, body }).toEqual({
    status: 201,
    body: {
      type: 'merchant-account.three-ds-configuration',
      id: expect.any(String),
      merchant_account_id: merchant.account,
      ...threeDSConfiguration({ currency: 'USD', metadata: { shop: 'a' } }),
      created_at: expect.any(String),
      updated_at: expect.any(String),
    },
  })
  expect(await merchant.list()).toEqual([body])
  railyard.clock.advance(1_000)
  const changed = await merchant.put(`${merchant.at}/${body.id}`, {
    merchant_name: 'Other',
    scheme: null,
    metadata: { b: '1' },
  })
  expect(changed).toMatchObject({
    status: 200,
    body: { ...body, merchant_name: 'Other', metadata: { b: '1' }, updated_at: expect.any(String) },
  })
  expect(Date.parse(changed.body.updated_at)).toBeGreaterThan(Date.parse(body.updated_at))
  expect((await merchant.put(`${merchant.at}/${body.id}`, { currency: null })).body.currency).toBeNull()
  expect((await merchant.delete(`${merchant.at}/${body.id}`)).status).toBe(204)
  expect([
    (await merchant.delete(`${merchant.at}/${body.id}`)).status,
    (await merchant.put(`${merchant.at}/${body.id}`, {})).status,
  ]).toEqual([404, 404])
  expect(await merchant.list()).toEqual([])
})

test('a list for a currency leaves out the configurations for any currency', async () => {
  const merchant = await newMerchant()
  const [any, usd, eur] = [
    await merchant.create(),
    await merchant.create({ currency: 'USD' }),
    await merchant.create({ currency: 'EUR' }),
  ]
  expect((await merchant.list()).map(({ id }: { id: string }) => id)).toEqual([
    eur.body.id,
    usd.body.id,
    any.body.id,
  ])
  expect(await merchant.list('?currency=USD')).toEqual([usd.body])
  expect(await merchant.list('?currency=GBP')).toEqual([])
  expect((await merchant.get(`${merchant.at}?currency=usd`)).status).toBe(422)
})

test('codes that do not exist and URLs that cannot be opened are refused at their member', async () => {
  const merchant = await newMerchant()
  const wrong: [Record<string, unknown>, string][] = [
    [{ merchant_country_code: 'US' }, '/merchant_country_code'],
    [{ merchant_country_code: '999' }, '/merchant_country_code'],
    [{ merchant_category_code: '50A5' }, '/merchant_category_code'],
    [{ merchant_url: 'shop.example' }, '/merchant_url'],
    [{ merchant_url: 'javascript:alert(1)' }, '/merchant_url'],
    [{ merchant_url: `https://shop.example/${'a'.repeat(2_048)}` }, '/merchant_url'],
    [{ currency: 'XYZ' }, '/currency'],
    [{ metadata: { a: 'x'.repeat(501) } }, '/metadata'],
  ]
  const { body } = await merchant.create()
  for (const [more, pointer] of wrong) {
    expect(await merchant.create(more)).toMatchObject(invalidFields(pointer))
    expect(await merchant.put(`${merchant.at}/${body.id}`, more)).toMatchObject(invalidFields(pointer))
  }
  for (const more of [
    { metadata: undefined },
    { metadata: { a: 1 } },
    { scheme: 'visa-electron' },
    { merchant_acquirer_bin: '1'.repeat(12) },
    { colour: 'red' },
  ])
    expect((await merchant.create(more)).status).toBe(422)
  expect(await merchant.list()).toEqual([body])
})

test('a scheme, currency and metadata have one configuration, in whatever order the metadata comes', async () => {
  const merchant = await newMerchant()
  const taken = (id: string) => ({ status: 409, body: { code: 'duplicate_record', resource_id: id } })
  const first = (await merchant.create({ metadata: { a: '1', b: '2' } })).body
  expect(await merchant.create({ metadata: { b: '2', a: '1' }, merchant_name: 'Other' })).toMatchObject(
    taken(first.id),
  )
  const others = [
    { scheme: 'amex' },
    { currency: 'USD' },
    { metadata: { a: '1' } },
    { metadata: { a: '1', b: '2', c: '3' } },
  ]
  const created = []
  for (const more of others)
    created.push((await merchant.create({ metadata: { a: '1', b: '2' }, ...more })).body.id)
  expect(created).not.toContain(undefined)
  expect(await merchant.put(`${merchant.at}/${created[1]}`, { currency: null })).toMatchObject(
    taken(first.id),
  )
  // an update of a configuration to its own terms is no duplicate
  expect((await merchant.put(`${merchant.at}/${first.id}`, { metadata: { b: '2', a: '1' } })).status).toBe(
    200,
  )
  // another merchant has configurations of its own
  expect((await (await newMerchant()).create({ metadata: { a: '1', b: '2' } })).status).toBe(201)
})

test('metadata of the largest size is compared completely', async () => {
  const merchant = await newMerchant()
  const metadata = Object.fromEntries(
    Array.from({ length: 50 }, (_, index) => [`${index}`.padEnd(100, 'k'), 'ü'.repeat(500)]),
  )
  const first = await merchant.create({ metadata })
  expect(first).toMatchObject({ status: 201, body: { metadata } })
  expect(await merchant.create({ metadata })).toMatchObject({
    status: 409,
    body: { resource_id: first.body.id },
  })
  expect(
    (await merchant.create({ metadata: { ...metadata, [Object.keys(metadata)[49] ?? '']: 'other' } })).status,
  ).toBe(201)
})

test('of eight simultaneous requests for the same terms one is accepted, and the 409 of the others names it', async () => {
  const merchant = await newMerchant()
  const answers = await Promise.all(Array.from({ length: 8 }, () => merchant.create({ currency: 'JPY' })))
  const [winner, ...others] = answers.toSorted((a, b) => a.status - b.status)
  expect(winner?.status).toBe(201)
  expect(others.map(({ status, body }) => [status, body.resource_id])).toEqual(
    Array.from({ length: 7 }, () => [409, winner?.body.id]),
  )
})

test('the configurations of an account that does not exist or is not the caller’s are a 404', async () => {
  const [merchant, stranger] = [await newMerchant(), await newMerchant()]
  const { body } = await merchant.create()
  for (const client of [railyard.admin, stranger]) {
    const account = client === stranger ? merchant.account : 'unknown'
    const at = `/merchant-accounts/${account}/three-ds-configurations`
    const answers = [
      await client.get(at),
      await client.post(at, threeDSConfiguration()),
      await client.put(`${at}/${body.id}`, {}),
      await client.delete(`${at}/${body.id}`),
    ]
    expect(answers.map(({ status }) => status)).toEqual([404, 404, 404, 404])
  }
  expect(await merchant.list()).toEqual([body])
  // one account's configuration under another account's path
  expect((await railyard.admin.put(`${stranger.at}/${body.id}`, { merchant_name: 'X' })).status).toBe(404)
})

test('metadata may have keys that objects inherit', async () => {
  const merchant = await newMerchant()
  const metadata = { hasOwnProperty: 'a', constructor: 'b', toString: 'c' }
  const { body } = await merchant.create({ metadata })
  expect(Object.entries(body.metadata)).toEqual(Object.entries(metadata))
  expect(await merchant.create({ metadata })).toMatchObject({ status: 409 })
})
