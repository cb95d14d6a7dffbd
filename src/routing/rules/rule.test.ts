import { expect, test } from 'vitest'
import { walletService } from '../../../test/support/domains/wallet.ts'
import { addService, invalidFields, openShop } from '../../../test/support/shop.ts'
import { startShop } from '../../../test/support/start-shop.ts'

const { railyard, shop } = await startShop({ comparesBooks: false })

const at = '/flows/card-transaction/rules'
const always = { all: [] }
const decline = (display_name: string, more: object = {}) => ({
  display_name,
  action: 'decline-early',
  condition: always,
  outcome: {},
  ...more,
})
const routed = (outcome: object, more: object = {}) => ({
  display_name: 'Route',
  action: 'route-transaction',
  condition: always,
  outcome,
  ...more,
})
const names = (body: { items: { display_name: string }[] }) =>
  body.items.map(({ display_name }) => display_name)

test('rules are edited in a draft and decide once it is published', async () => {
  const merchant = await openShop(railyard)
  expect((await merchant.get(at)).status).toBe(404)
  const added = await merchant.post(at, decline('Second'))
  expect(added).toMatchObject({
    status: 201,
    body: { type: 'flow-rule', display_name: 'Second', active: true },
  })
  await merchant.post(at, { ...decline('First'), position: 0 })
  const draft = await merchant.get(`${at}?state=draft`)
  expect(draft.body).toMatchObject({
    type: 'flow-rules',
    flow: 'card-transaction',
    version: 1,
    state: 'draft',
    published_at: null,
  })
  expect(names(draft.body)).toEqual(['First', 'Second'])
  expect((await merchant.pay(1_00)).body.status).toBe('authorization_succeeded')
  const requestState = await merchant.post(`${at}/publish`)
  expect(requestState).toMatchObject({
    status: 200,
    body: { version: 1, state: 'live', published_at: expect.any(String) },
  })
  expect((await merchant.pay(1_00)).body.error_code).toBe('flow_decline')
  expect((await merchant.get(at)).body).toEqual(requestState.body)
  expect((await merchant.get(`${at}?state=draft`)).status).toBe(404)
})

test('a draft begins as a copy of the live rules, which do not change', async () => {
  const merchant = await openShop(railyard)
  const { body: rule } = await merchant.post(at, decline('Refuse'))
  await merchant.post(`${at}/publish`)
  const changed = await merchant.put(
    `${at}/${rule.id}`,
    decline('Refuse politely', { outcome: { error_code: 'flow_polite' }, active: false }),
  )
  expect(changed).toMatchObject({
    status: 200,
    body: { id: rule.id, display_name: 'Refuse politely', active: false },
  })
  expect((await merchant.get(`${at}/${rule.id}`)).body).toEqual(changed.body)
  expect((await merchant.pay(1_00)).body.error_code).toBe('flow_decline')
  expect(await merchant.delete(at)).toMatchObject({ status: 204 })
  expect((await merchant.delete(at)).status).toBe(404)
  expect((await merchant.get(`${at}/${rule.id}`)).body).toEqual(rule)
  expect((await merchant.delete(`${at}/${rule.id}`)).status).toBe(204)
  expect((await merchant.delete(`${at}/${rule.id}`)).status).toBe(404)
  await merchant.post(`${at}/publish`)
  expect((await merchant.pay(1_00)).body.status).toBe('authorization_succeeded')
})

test('an earlier version can be made live again, and versions are listed', async () => {
  const merchant = await openShop(railyard)
  for (const name of ['One', 'Two', 'Three']) {
    await merchant.put(at, { items: [decline(name)] })
    await merchant.post(`${at}/publish`)
  }
  expect((await merchant.post(`${at}/publish`, { version: 1, expected_version: 3 })).body).toMatchObject({
    version: 4,
    state: 'live',
  })
  expect(names((await merchant.get(at)).body)).toEqual(['One'])
  expect(names((await merchant.get(`${at}?version=2`)).body)).toEqual(['Two'])
  expect((await merchant.get(`${at}?version=9`)).status).toBe(404)
  const first = (await merchant.get('/flows/card-transaction/versions?limit=3')).body
  const rest = (await merchant.get(`/flows/card-transaction/versions?limit=3&cursor=${first.next_cursor}`))
    .body
  const listed = [...first.items, ...rest.items].map(({ version, state, rules }) => [version, state, rules])
  expect(listed).toEqual([
    [4, 'live', 1],
    [3, 'retired', 1],
    [2, 'retired', 1],
    [1, 'retired', 1],
  ])
  expect(rest.next_cursor).toBe(null)
  expect(await merchant.post(`${at}/publish`, { version: 77 })).toMatchObject(invalidFields('/version'))
  expect(await merchant.post(`${at}/publish`, { version: 1, expected_version: 3 })).toMatchObject({
    status: 409,
    body: { code: 'concurrent_request' },
  })
})

test('concurrent edits are all kept', async () => {
  const merchant = await openShop(railyard)
  const wanted = Array.from({ length: 12 }, (_, index) => `Rule ${index}`)
  const answers = await Promise.all(wanted.map((name) => merchant.post(at, decline(name))))
  expect(answers.map(({ status }) => status)).toEqual(wanted.map(() => 201))
  expect(names((await merchant.get(`${at}?state=draft`)).body).sort()).toEqual(wanted.toSorted())
  const published = await Promise.all(
    Array.from({ length: 5 }, () => merchant.post(`${at}/publish`, { expected_version: 0 })),
  )
  expect(published.filter(({ status }) => status === 200)).toHaveLength(1)
})

test('a draft that is dropped, edited and published at once ends in one of the three ways', async () => {
  const merchant = await openShop(railyard)
  const statuses = new Set<number>()
  for (let round = 0; round < 15; round++) {
    await merchant.put(at, { items: [decline('Rule')] })
    const answers = await Promise.all([
      merchant.put(at, { items: [decline('Other')] }),
      merchant.delete(at),
      merchant.post(at, decline('Another')),
      merchant.post(`${at}/publish`, {}),
    ])
    for (const { status } of answers) statuses.add(status)
  }
  expect([...statuses].filter((status) => status >= 500)).toEqual([])
})

test('publishing checks the rules of earlier requests again', async () => {
  const merchant = await openShop(railyard)
  const service = await addService(railyard, merchant)
  expect((await merchant.post(at, routed({ attempts: [{ payment_service_id: service }] }))).status).toBe(201)
  expect((await merchant.delete(`/payment-services/${service}`)).status).toBe(204)
  expect(await merchant.post(`${at}/publish`)).toMatchObject(
    invalidFields('/items/0/outcome/attempts/0/payment_service_id'),
  )
})

const leaf = (field: unknown, operator: unknown, value: unknown, more: object = {}) => ({
  field,
  operator,
  value,
  ...more,
})
const id = '018f0000-0000-7000-8000-000000000001'
const wrong: [pointer: string, condition: unknown][] = [
  ['/condition/field', leaf('height', 'is', 'x')],
  ['/condition/field', leaf('constructor', 'is', 'x')],
  ['/condition/field', leaf('metadata.', 'is', 'x')],
  ['/condition/operator', leaf('scheme', 'contains', 'vi')],
  ['/condition/operator', leaf('scheme', 'toString', 'vi')],
  ['/condition/value', leaf('scheme', 'in', 'visa')],
  ['/condition/value/1', leaf('scheme', 'in', ['visa', 'viza'])],
  ['/condition/currency', leaf('amount', 'gt', 1000)],
  ['/condition/any/1/currency', { any: [leaf('currency', 'is', 'EUR'), leaf('amount', 'gt', 1000)] }],
  ['/condition/currency', leaf('amount', 'gt', 1000, { currency: 'ZZZ' })],
  ['/condition/currency', leaf('scheme', 'is', 'visa', { currency: 'EUR' })],
  ['/condition/value', leaf('amount', 'between', { from: 2, to: 1 }, { currency: 'EUR' })],
  ['/condition/value', leaf('amount', 'gt', -1, { currency: 'EUR' })],
  ['/condition/value', leaf('bin', 'starts_with', ['4x'])],
  ['/condition/value/0', leaf('bin', 'in_range', [{ from: '400000', to: '40000099' }])],
  [
    '/condition/value/time_zone',
    leaf('time_of_day', 'between', { from: '09:00', to: '17:00', time_zone: 'Mars/Olympus' }),
  ],
  ['/condition/value', leaf('time_of_day', 'between', { from: '9:00', to: '17:00', time_zone: 'UTC' })],
  ['/condition/value', leaf('created_at', 'after', '2026-02-31T00:00:00')],
  ['/condition/value', leaf('previous_decline', 'is', 'suspected_fraud')],
  ['/condition/any', { any: [] }],
  ['/condition', { all: [], any: [] }],
  ['/condition/all/0/not/all', { all: [{ not: { all: 'x' } }] }],
]

test.each(wrong)(
  'a rule with a wrong condition is refused, with the problem at %s',
  async (pointer, condition) => {
    expect(await shop.post(at, decline('Wrong', { condition }))).toMatchObject(invalidFields(pointer))
  },
)

test.each<[pointer: string, flow: string, rule: object]>([
  ['/action', 'checkout', decline('No')],
  ['/action', 'redirect-transaction', decline('No')],
  ['/action', 'non-card-transaction', routed({ attempts: [{ payment_service_id: id }] })],
  ['/outcome/error_code', 'card-transaction', decline('No', { outcome: { error_code: 'declined' } })],
  ['/outcome', 'card-transaction', routed({})],
  [
    '/outcome/attempts/0/payment_service_id',
    'card-transaction',
    routed({ attempts: [{ payment_service_id: id }] }),
  ],
  [
    '/outcome',
    'checkout',
    { display_name: 'Show', action: 'select-payment-options', condition: always, outcome: {} },
  ],
])('a rule with a problem is refused, with the problem at %s, in %s', async (pointer, flow, rule) => {
  expect(await shop.post(`/flows/${flow}/rules`, rule)).toMatchObject(invalidFields(pointer))
})

test('a rule is refused if percentages do not sum to 100, a refusal is not retriable, or a payment service is not for the flow', async () => {
  const attempts = [{ payment_service_id: shop.paymentServiceId }]
  const split = (...percents: number[]) =>
    routed({ split: percents.map((percent) => ({ percent, attempts })) })
  expect((await shop.post(at, split(33.33, 33.33, 33.34))).status).toBe(201)
  expect(
    await shop.post(at, routed({ attempts, retries: { on: ['issuer_decline', 'suspected_fraud'] } })),
  ).toMatchObject(invalidFields('/outcome/retries/on/1'))
  expect(await shop.post(at, split(50, 49.99))).toMatchObject(invalidFields('/outcome/split'))
  expect(await shop.post(at, split(50.001, 49.999))).toMatchObject(invalidFields('/outcome/split/0/percent'))
  expect(await shop.post('/flows/redirect-transaction/rules', routed({ attempts }))).toMatchObject(
    invalidFields('/outcome/attempts/0/payment_service_id'),
  )
})

test('a replacement of all rules is refused with the problems of each', async () => {
  const items = [decline('Right'), decline('Wrong', { condition: leaf('scheme', 'is', 'viza') })]
  expect(await shop.put(at, { items })).toMatchObject(invalidFields('/items/1/condition/value'))
  expect(await shop.put(at, { items: [decline('One', { id }), decline('Other', { id })] })).toMatchObject(
    invalidFields('/items/1/id'),
  )
})

test('the checkout shows the payment options of a rule, in its order, and its required fields', async () => {
  const merchant = await openShop(railyard)
  const wallet = walletService({ accepted_currencies: ['EUR'], accepted_countries: ['DE'] })
  expect(
    await railyard.admin.post('/payment-services', wallet, { 'x-svc-merchant-account-id': merchant.account }),
  ).toMatchObject({ status: 201 })
  const methods = async (body: object) =>
    (await merchant.post('/payment-options', { currency: 'EUR', country: 'DE', ...body })).body.items.map(
      ({ method }: { method: string }) => method,
    )
  expect(await methods({})).toEqual(['card', 'wallet'])
  const select = (outcome: object, condition: object) => ({
    display_name: 'Select',
    action: 'select-payment-options',
    condition,
    outcome,
  })
  const items = [
    select({ methods: ['wallet', 'card', 'ideal'] }, leaf('metadata.cart', 'is', 'large')),
    select({ methods: ['card'] }, leaf('amount', 'gte', 100_00, { currency: 'EUR' })),
    select(
      { required_fields: { email_address: true, address: { postal_code: true } } },
      leaf('issuer_country', 'is', 'US'),
    ),
  ]
  expect(await merchant.put('/flows/checkout/rules', { items })).toMatchObject({ status: 200 })
  await merchant.post('/flows/checkout/rules/publish')
  expect(await methods({ metadata: { cart: 'large' } })).toEqual(['wallet', 'card'])
  expect(await methods({ amount: 100_00 })).toEqual(['card'])
  expect(await methods({ amount: 99_99 })).toEqual(['card', 'wallet'])
  const buyer_id = (await merchant.post('/buyers', {})).body.id
  await merchant.post('/payment-methods', { number: '4111111111111111', expiration_date: '12/35', buyer_id })
  const stored = async () =>
    (await merchant.get(`/buyers/payment-methods?buyer_id=${buyer_id}`)).body.items.length
  expect(await stored()).toBe(1)
  const details = async (bin: string) =>
    (await merchant.get(`/card-details?currency=EUR&bin=${bin}`)).body.required_fields
  expect(await details('411111')).toMatchObject({
    email_address: true,
    first_name: false,
    address: { postal_code: true, line1: false },
  })
  expect(await details('999999')).toBe(null)
  await merchant.put('/flows/checkout/rules', { items: [select({ methods: ['wallet'] }, always)] })
  await merchant.post('/flows/checkout/rules/publish')
  expect(await stored()).toBe(0)
})
