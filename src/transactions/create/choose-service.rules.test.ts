import { afterEach, expect, test } from 'vitest'
import { authenticatedPayment, openSecureShop, scenario } from '../../../test/support/domains/secure-shop.ts'
import { booksOf, expectBooksMatch, injectFaults, recoverFully } from '../../../test/support/provider.ts'
import { addService, openShop, type Shop } from '../../../test/support/shop.ts'
import { startRailyardForFile } from '../../../test/support/start-railyard.ts'

const railyard = await startRailyardForFile()
afterEach(() => injectFaults(railyard))

type Rule = Record<string, unknown>
const always = { all: [] }
const to = (...ids: string[]) => ids.map((payment_service_id) => ({ payment_service_id }))
const route = (outcome: object, condition: object = always): Rule => ({
  display_name: 'Route',
  action: 'route-transaction',
  condition,
  outcome,
})

/** A shop with three payment services for cards and these live rules. */
async function shopWith(
  rules: (services: [a: string, b: string, c: string]) => Rule[],
  flow = 'card-transaction',
) {
  const shop = await openShop(railyard)
  const [b, c] = [await addService(railyard, shop), await addService(railyard, shop)]
  const services: [string, string, string] = [shop.paymentServiceId, b, c]
  await makeLive(shop, flow, rules(services))
  return { shop, services }
}

async function makeLive(shop: Shop, flow: string, items: Rule[]): Promise<void> {
  expect(await shop.put(`/flows/${flow}/rules`, { items })).toMatchObject({ status: 200 })
  expect(await shop.post(`/flows/${flow}/rules/publish`, {})).toMatchObject({
    status: 200,
    body: { state: 'live' },
  })
}

const actionsOf = async (shop: Shop, id: string) => (await shop.get(`/transactions/${id}/actions`)).body.items

/** The payment services that got an operation of this amount, in order. */
const servicesWith = async (services: readonly string[], amount: number) =>
  (await booksOf(railyard)).operations
    .filter((operation) => operation.amount === amount && services.includes(operation.payment_service_id))
    .map((operation) => operation.payment_service_id)

test('a rule decides which payment service gets the payment, and the transaction’s actions say why', async () => {
  const condition = {
    all: [
      { field: 'amount', operator: 'gte', value: 50_00, currency: 'EUR' },
      { field: 'metadata.tier', operator: 'is', value: 'gold' },
    ],
  }
  const { shop, services } = await shopWith(([, b]) => [route({ attempts: to(b) }, condition)])
  const [a, b] = services
  const large = await shop.pay(60_00, { metadata: { tier: 'gold' } })
  expect(large.body).toMatchObject({ status: 'authorization_succeeded', payment_service: { id: b } })
  const [action, ...others] = await actionsOf(shop, large.body.id)
  expect(others).toEqual([])
  expect(action).toEqual({
    type: 'action',
    id: 'route-transaction',
    flow: 'card-transaction',
    rule_id: expect.any(String),
    created_at: expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{6}\+00:00$/),
    outcome: {
      type: 'card-routing',
      version: 2,
      result: [
        {
          payment_service_id: b,
          payment_service_display_name: 'Second card',
          instrument: null,
          transformations: [],
        },
      ],
      rule: { name: 'Route', version: 1 },
      because: [
        {
          field: 'amount',
          operator: 'gte',
          value: 50_00,
          currency: 'EUR',
          actual: 60_00,
          actual_currency: 'EUR',
        },
        { field: 'metadata.tier', operator: 'is', value: 'gold', actual: 'gold' },
      ],
    },
  })
  const small = await shop.pay(40_00, { metadata: { tier: 'gold' } })
  expect(small.body).toMatchObject({ payment_service: { id: a } })
  expect(await actionsOf(shop, small.body.id)).toEqual([])
})

test('when a rule routes to a payment service that cannot take the payment, no other one gets it', async () => {
  const { shop, services } = await shopWith(([, b]) => [route({ attempts: to(b) })])
  const [, b] = services
  await railyard.admin.put(
    `/payment-services/${b}`,
    { active: false },
    { 'x-svc-merchant-account-id': shop.account },
  )
  const { body } = await shop.pay(61_00)
  expect(body).toMatchObject({
    status: 'authorization_failed',
    error_code: 'all_attempts_skipped',
    payment_service: null,
  })
  expect(await servicesWith(services, 61_00)).toEqual([])
  expect((await actionsOf(shop, body.id))[0].outcome).toMatchObject({
    result: [],
    skipped: [{ payment_service_id: b, reason: 'is not active' }],
  })
})

test('after a retriable refusal the rule’s next payment service gets the payment, and that decision is an action, too', async () => {
  const { shop, services } = await shopWith(([a, , c]) => [route({ attempts: to(c, a) })])
  const [a, , c] = services
  const { body } = await shop.pay(300013)
  expect(body).toMatchObject({
    status: 'authorization_failed',
    error_code: 'service_error',
    payment_service: { id: a },
  })
  expect(await servicesWith(services, 300013)).toEqual([c, a])
  const decisions = (await actionsOf(shop, body.id)).map(
    ({ outcome }: { outcome: { result: { payment_service_id: string }[] } }) =>
      outcome.result.map(({ payment_service_id }) => payment_service_id),
  )
  expect(decisions).toEqual([[c, a], [a]])
})

test('a rule limits how often a payment is retried, and after which refusals', async () => {
  const { shop, services } = await shopWith(([a, b, c]) => [
    route(
      { attempts: to(a, b, c), retries: { maximum: 1 } },
      { field: 'metadata.case', operator: 'is', value: 'once' },
    ),
    route(
      { attempts: to(a, b, c), retries: { maximum: 0 } },
      { field: 'metadata.case', operator: 'is', value: 'never' },
    ),
    route({ attempts: to(a, b, c), retries: { on: ['issuer_decline'] } }),
  ])
  const [a, b, c] = services
  const sent = async (amount: number, metadata: Record<string, string>) => {
    const before = (await servicesWith(services, amount)).length
    await shop.pay(amount, { metadata })
    return (await servicesWith(services, amount)).slice(before)
  }
  expect(await sent(300013, { case: 'once' })).toEqual([a, b])
  expect(await sent(300013, { case: 'never' })).toEqual([a])
  expect(await sent(300013, {})).toEqual([a])
  expect(await sent(200012, {})).toEqual([a, b, c])
})

test('a rule can depend on the previous decline', async () => {
  const { shop, services } = await shopWith(([a, b, c]) => [
    route({ attempts: to(c) }, { field: 'previous_decline', operator: 'is', value: 'issuer_decline' }),
    route({ attempts: to(a, b) }),
  ])
  const [a, b, c] = services
  await shop.pay(200012)
  expect(await servicesWith(services, 200012)).toEqual([a, c])
  await shop.pay(200016)
  expect(await servicesWith(services, 200016)).toEqual([a, b])
})

test('after a lost answer of one payment service no other one gets the payment', async () => {
  for (const kind of ['lost', 'outage'] as const) {
    const { shop, services } = await shopWith(([a, b]) => [route({ attempts: to(b, a) })])
    const [, b] = services
    await injectFaults(railyard, { operation: 'authorize', kind, payment_service_id: b })
    const payment = await shop.authorized(62_00)
    expect(await payment.read()).toMatchObject({ status: 'processing', payment_service: { id: b } })
    expect((await servicesWith(services, 62_00)).filter((id) => id !== b)).toEqual([])
    await recoverFully(railyard)
    expect((await servicesWith(services, 62_00)).filter((id) => id !== b)).toEqual([])
    expect((await payment.read()).status).not.toBe('processing')
    await expectBooksMatch(railyard, shop.account)
  }
})

test('a split sends each buyer to the same payment service every time', async () => {
  const { shop } = await shopWith(([a, b]) => [
    route({
      split: [
        { percent: 50, attempts: to(a) },
        { percent: 50, attempts: to(b) },
      ],
    }),
  ])
  const buyers: string[] = []
  for (let buyer = 0; buyer < 12; buyer += 1) buyers.push((await shop.post('/buyers', {})).body.id)
  const serviceOf = async (buyer_id: string) => (await shop.pay(1_00, { buyer_id })).body.payment_service.id
  const first = await Promise.all(buyers.map(serviceOf))
  expect(await Promise.all(buyers.map(serviceOf))).toEqual(first)
  const { body } = await shop.pay(1_00, { buyer_id: buyers[0] })
  const [{ outcome }] = await actionsOf(shop, body.id)
  expect(outcome.split).toEqual({ bucket: expect.any(Number), percent: 50, variant: expect.any(Number) })
})

test('a payment that a rule declines fails with the rule’s code, and no payment service gets it', async () => {
  const { shop, services } = await shopWith(() => [
    {
      display_name: 'Too much',
      action: 'decline-early',
      condition: { field: 'amount', operator: 'gt', value: 500_00, currency: 'EUR' },
      outcome: { error_code: 'flow_too_much' },
    },
  ])
  const { status, body } = await shop.pay(501_00)
  expect({ status, body }).toMatchObject({
    status: 201,
    body: {
      status: 'authorization_failed',
      intent_outcome: 'failed',
      error_code: 'flow_too_much',
      payment_service: null,
    },
  })
  expect(await servicesWith(services, 501_00)).toEqual([])
  expect(await actionsOf(shop, body.id)).toMatchObject([
    { id: 'decline-early', outcome: { type: 'early-decline', result: { error_code: 'flow_too_much' } } },
  ])
  // rules do not route a payment whose payment service the merchant names, but may decline it
  expect((await shop.pay(501_00, { payment_service_id: services[1] })).body.error_code).toBe('flow_too_much')
  expect((await shop.get(`/transactions?error_code=flow_too_much`)).status).toBe(200)
})

test('the actions of a payment show a skip-3ds rule before the route', async () => {
  const skip = {
    display_name: 'Small',
    action: 'skip-3ds',
    condition: { field: 'amount', operator: 'lt', value: 30_00, currency: 'EUR' },
    outcome: {},
  }
  const { shop } = await shopWith(([, b]) => [skip, route({ attempts: to(b) })])
  const ids = async (amount: number) =>
    (await actionsOf(shop, (await shop.pay(amount)).body.id)).map(({ id }: { id: string }) => id)
  expect(await ids(29_99)).toEqual(['skip-3ds', 'route-transaction'])
  expect(await ids(30_00)).toEqual(['route-transaction'])
})

test('the card’s issuer does not authenticate a payment for which a rule skips 3-D Secure', async () => {
  const shop = await openSecureShop(railyard)
  for (const amount of [72_01, 72_02]) await scenario(railyard, shop, amount, 'Y')
  const condition = { field: 'amount', operator: 'eq', value: 72_01, currency: 'EUR' }
  await makeLive(shop, 'card-transaction', [
    { display_name: 'Small', action: 'skip-3ds', condition, outcome: {} },
  ])
  expect((await shop.pay(72_01, authenticatedPayment())).body).toMatchObject({
    status: 'authorization_succeeded',
    three_d_secure: null,
  })
  expect((await shop.pay(72_02, authenticatedPayment())).body).toMatchObject({
    status: 'authorization_succeeded',
    three_d_secure: { status: 'complete' },
  })
})

test('a payment whose payment service the merchant names is not routed elsewhere', async () => {
  const { shop, services } = await shopWith(([, b]) => [route({ attempts: to(b) })])
  const { body } = await shop.pay(1_00, { payment_service_id: services[2] })
  expect(body.payment_service.id).toBe(services[2])
  expect(await actionsOf(shop, body.id)).toEqual([])
})

test('rules can depend on a card’s first digits and on its issuer’s country', async () => {
  const { shop, services } = await shopWith(([a, b, c]) => [
    route({ attempts: to(b) }, { field: 'issuer_country', operator: 'is', value: 'FR' }),
    route({ attempts: to(c) }, { field: 'bin', operator: 'starts_with', value: ['55'] }),
    route({ attempts: to(a) }),
  ])
  const [a, b, c] = services
  const pays = async (number: string) =>
    (
      await shop.pay(1_00, {
        payment_method: { method: 'card', number, expiration_date: '12/30', security_code: '123' },
      })
    ).body
  expect((await pays('4000002500001001')).payment_service.id).toBe(b)
  expect((await pays('5555555555554444')).payment_service.id).toBe(c)
  expect((await pays('4111111111111111')).payment_service.id).toBe(a)
})

test('an attempt with an instrument that the payment does not have is skipped, with the reason', async () => {
  const { shop, services } = await shopWith(([a, b]) => [
    route({
      attempts: [
        { payment_service_id: b, instrument: 'network_token' },
        { payment_service_id: a, instrument: 'pan' },
      ],
    }),
  ])
  const [a, b] = services
  const { body } = await shop.pay(63_00)
  expect(body.payment_service.id).toBe(a)
  expect((await actionsOf(shop, body.id))[0].outcome).toMatchObject({
    result: [{ payment_service_id: a, instrument: 'pan' }],
    skipped: [{ payment_service_id: b, reason: 'there is no network token of the card' }],
  })
})

test('an attempt that cannot be made does not count as one that a rule allows', async () => {
  const { shop, services } = await shopWith(([a, b, c]) => [
    route({
      attempts: [{ payment_service_id: a, instrument: 'network_token' }, ...to(b, c)],
      retries: { maximum: 0 },
    }),
  ])
  const [a, b, c] = services
  const { body } = await shop.pay(200012)
  expect(body).toMatchObject({ error_code: 'issuer_decline', payment_service: { id: b } })
  expect(await servicesWith(services, 200012)).toEqual([b])
  const decisions = await actionsOf(shop, body.id)
  expect(decisions).toHaveLength(1)
  expect(decisions[0].outcome).toMatchObject({
    result: [{ payment_service_id: b }],
    skipped: [
      { payment_service_id: a, reason: 'there is no network token of the card' },
      { payment_service_id: c, reason: 'is beyond the attempts that the rule allows' },
    ],
  })
})

test('rules of one account do not apply to another', async () => {
  await shopWith(() => [{ display_name: 'No', action: 'decline-early', condition: always, outcome: {} }])
  const other = await openShop(railyard)
  expect((await other.pay(1_00)).body.status).toBe('authorization_succeeded')
})
