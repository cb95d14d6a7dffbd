import { expect, test } from 'vitest'
import { addStoredCard } from '../../../test/support/domains/stored-card.ts'
import { startRailyardForFile } from '../../../test/support/start-railyard.ts'

const railyard = await startRailyardForFile()
const merchant = await railyard.merchant()

const invalidQueryAt = (pointer: string) => ({
  status: 400,
  body: { code: 'bad_request', details: [{ location: 'query', pointer }] },
})

test('a BIN answers the scheme, type and country of a card, with the URLs of the icons', async () => {
  const { status, body } = await merchant.get('/card-details?currency=EUR&bin=40000025')
  expect({ status, body }).toEqual({
    status: 200,
    body: {
      type: 'card-detail',
      id: '40000025',
      card_type: 'credit',
      scheme: 'visa',
      additional_schemes: ['carte-bancaire'],
      additional_schemes_details: [
        { scheme: 'carte-bancaire', icon_url: `${railyard.url}/assets/card-schemes/carte-bancaire.svg` },
      ],
      scheme_icon_url: `${railyard.url}/assets/card-schemes/visa.svg`,
      country: 'FR',
      required_fields: null,
    },
  })
})

test('a BIN of no known scheme is answered with null', async () => {
  const { body } = await merchant.get('/card-details?currency=EUR&bin=999999')
  expect(body).toMatchObject({
    id: '999999',
    scheme: null,
    card_type: null,
    scheme_icon_url: null,
    country: null,
    additional_schemes: [],
  })
})

test('a stored card is found by its id, and only by its own merchant', async () => {
  const id = await addStoredCard(railyard, merchant.account)
  expect(await merchant.get(`/card-details?currency=EUR&payment_method_id=${id}`)).toMatchObject({
    status: 200,
    body: { id: null, scheme: 'visa', card_type: 'credit', country: 'US' },
  })
  const stranger = await railyard.merchant()
  expect((await stranger.get(`/card-details?currency=EUR&payment_method_id=${id}`)).status).toBe(404)
  expect(
    (await merchant.get(`/card-details?currency=EUR&payment_method_id=${crypto.randomUUID()}`)).status,
  ).toBe(404)
})

test('card details of a stored payment method that is no card are a 400', async () => {
  const id = await addStoredCard(railyard, merchant.account, { method: 'wallet' })
  expect(await merchant.get(`/card-details?currency=EUR&payment_method_id=${id}`)).toMatchObject(
    invalidQueryAt('payment_method_id'),
  )
})

test('a query needs a BIN or a stored card, a known currency, and metadata that is a JSON object of strings', async () => {
  const wrong: [string, string][] = [
    ['currency=EUR', 'bin'],
    [`currency=EUR&bin=411111&payment_method_id=${crypto.randomUUID()}`, 'bin'],
    ['currency=XYZ&bin=411111', 'currency'],
    ['currency=EUR&bin=411111&metadata={"a":1}', 'metadata'],
    ['currency=EUR&bin=411111&metadata=[]', 'metadata'],
  ]
  for (const [query, pointer] of wrong)
    expect(await merchant.get(`/card-details?${query}`)).toMatchObject(invalidQueryAt(pointer))
  for (const query of ['bin=411111', 'currency=EUR&bin=41111', 'currency=EUR&bin=411111111'])
    expect((await merchant.get(`/card-details?${query}`)).status).toBe(422)
  expect((await merchant.get('/card-details?currency=EUR&bin=411111&metadata={"a":"b"}')).status).toBe(200)
})

test('a browser sees only the stored cards of its own buyer, and can use only the amount and currency of its token', async () => {
  const buyer = await railyard.world.db
    .insertInto('buyers')
    .values({
      merchant_account_id: merchant.account,
      id: crypto.randomUUID(),
      external_identifier: 'ada',
      created_at: new Date().toISOString(),
      updated_at: new Date().toISOString(),
    })
    .returning('id')
    .executeTakeFirstOrThrow()
  const [own, ofOther] = [
    await addStoredCard(railyard, merchant.account, { buyer_id: buyer.id }),
    await addStoredCard(railyard, merchant.account, { buyer_id: crypto.randomUUID() }),
  ]
  const constraints = { amount: 10_00, currency: 'EUR', merchant_account_id: merchant.account }
  for (const embed of [
    { ...constraints, buyer_id: buyer.id },
    { ...constraints, buyer_external_identifier: 'ada' },
  ]) {
    const browser = await railyard.client({ account: merchant.account, scopes: ['embed'], embed })
    expect((await browser.get(`/card-details?currency=EUR&payment_method_id=${own}`)).status).toBe(200)
    expect((await browser.get(`/card-details?currency=EUR&payment_method_id=${ofOther}`)).status).toBe(404)
    expect(await browser.get('/card-details?currency=USD&bin=411111')).toMatchObject(
      invalidQueryAt('currency'),
    )
    expect(await browser.get('/card-details?currency=EUR&bin=411111&amount=1')).toMatchObject(
      invalidQueryAt('amount'),
    )
    expect((await browser.get('/card-details?currency=EUR&bin=411111&amount=1000')).status).toBe(200)
  }
})
