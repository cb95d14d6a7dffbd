import { describe, expect, test } from 'vitest'
import { injectFaults, recoverFully } from '../../test/support/provider.ts'
import { card } from '../../test/support/railyard.ts'
import { openShop, type Shop } from '../../test/support/shop.ts'
import { startRailyardForFile } from '../../test/support/start-railyard.ts'

const railyard = await startRailyardForFile()

type Query = Record<string, string | string[]>

const at = (path: string, query: Query) => {
  const parameters = new URLSearchParams()
  for (const [name, values] of Object.entries({ datetime_range: 'P1D/hour_end', ...query }))
    for (const value of [values].flat()) parameters.append(name, value)
  return `/metrics-explorer/${path}?${parameters}`
}
const explore = async (shop: Shop, path: string, query: Query = {}) => {
  const { status, body } = await shop.get(at(path, query))
  expect({ status, body }).toMatchObject({ status: 200 })
  return body
}
const values = async (shop: Shop, path: string, query: Query = {}): Promise<Record<string, number>> =>
  Object.fromEntries(
    (await explore(shop, path, query)).map(({ key, value }: { key: string; value: number }) => [key, value]),
  )
const count = (shop: Shop, module: string, query: Query = {}) =>
  values(shop, `authorization/metrics/transactions/modules/${module}`, query)
const total = async (shop: Shop, query: Query = {}) =>
  (await explore(shop, 'authorization/metrics/transactions/totals', query)).summary.current.value

const DECLINED = 200012

test('new payments count at once, by each of their values', async () => {
  const shop = await openShop(railyard)
  await shop.sold(30_00, { country: 'DE', metadata: { shop: 'berlin', till: '1' } })
  await shop.authorized(10_00, { country: 'DE', metadata: { shop: 'bonn' } })
  await shop.sold(5_00, { currency: 'USD', payment_source: 'moto' })
  await shop.pay(DECLINED)
  expect(await total(shop)).toBe(4)
  expect(await count(shop, 'currency')).toEqual({ EUR: 3, USD: 1 })
  expect(await count(shop, 'authorized')).toEqual({ '1': 3, '0': 1 })
  expect(await count(shop, 'country')).toEqual({ DE: 2, '\u0000': 2 })
  expect(await count(shop, 'metadata')).toEqual({
    '{"shop": "berlin"}': 1,
    '{"shop": "bonn"}': 1,
    '{"till": "1"}': 1,
    '\u0000': 2,
  })
  expect(await count(shop, 'error_code')).toEqual({ '\u0000': 3, issuer_decline: 1 })
  expect(await values(shop, 'authorization/metrics/volume/modules/authorized', { currency: 'EUR' })).toEqual({
    '1': 40_00,
    '0': 0,
  })
  expect(await values(shop, 'authorization/metrics/auth_rate/modules/currency')).toEqual({
    USD: 1,
    EUR: 0.666667,
  })
  expect(await explore(shop, 'authorization/metrics/transactions/modules/payment_service')).toEqual([
    {
      type: 'metrics-explorer.module',
      key: shop.paymentServiceId,
      display_name: 'Mock card',
      value: 4,
      metadata: { payment_service_definition_id: 'mock-card', method: 'card', active: true, deleted: false },
    },
  ])
  const [visa] = await explore(shop, 'authorization/metrics/transactions/modules/payment_method_scheme')
  expect(visa).toMatchObject({ key: 'visa', display_name: 'Visa', value: 4 })
  const [without] = await explore(shop, 'authorization/metrics/transactions/modules/error_code')
  expect(without).toMatchObject({
    key: '\u0000',
    display_name: 'No error',
    value: 3,
    metadata: { is_null: true },
  })
})

test('the values of a filter are alternatives, all filters apply, and the NUL character finds payments without a value', async () => {
  const shop = await openShop(railyard)
  await shop.sold(1_00, { country: 'DE', metadata: { shop: 'berlin' } })
  await shop.sold(1_00, { country: 'US', payment_source: 'moto' })
  await shop.sold(1_00)
  expect(await total(shop, { country: ['DE', 'US'] })).toBe(2)
  expect(await total(shop, { country: ['DE', '\u0000'] })).toBe(2)
  expect(
    await total(shop, { country: ['DE', 'US'], payment_source: 'ecommerce', merchant_initiated: '0' }),
  ).toBe(1)
  expect(await total(shop, { metadata: ['{"shop":"berlin"}', '{"shop":"bonn"}'] })).toBe(1)
  expect(await total(shop, { metadata: '\u0000' })).toBe(2)
  expect(
    await total(shop, { payment_service_id: shop.paymentServiceId, payment_method_bin: '41111111' }),
  ).toBe(3)
  for (const unmatched of [
    { country: 'ZZ' },
    { payment_service_id: 'no uuid' },
    { method: 'teeth' },
    { error_code: '__proto__' },
    { metadata: '{"__proto__":"x"}' },
  ]) {
    expect(await total(shop, unmatched)).toBe(0)
    expect(await count(shop, 'currency', unmatched)).toEqual({})
  }
})

test('a payment counts with its present outcome, whenever the columns are updated', async () => {
  const shop = await openShop(railyard)
  await injectFaults(railyard, { operation: 'authorize', kind: 'lost' })
  const payment = await shop.authorized(7_00)
  expect(await count(shop, 'authorized')).toEqual({})
  await railyard.insights.runOnce()
  railyard.clock.advance(120_000)
  await railyard.insights.runOnce()
  await recoverFully(railyard)
  const { status } = await payment.read()
  const expected = status === 'authorization_succeeded' ? { '1': 1 } : { '0': 1 }
  expect(await count(shop, 'authorized')).toEqual(expected)
  railyard.clock.advance(120_000)
  await railyard.insights.runOnce()
  expect(await count(shop, 'authorized')).toEqual(expected)
  await payment.correct({ status: 'authorization_failed', authorized_amount: 0 })
  expect(await count(shop, 'authorized')).toEqual({ '0': 1 })
})

test('changes that a process has dated two hours back count, whenever the columns are updated', async () => {
  const shop = await openShop(railyard)
  await shop.sold(1_00)
  const ahead = 2 * 3_600_000
  railyard.clock.advance(ahead)
  await shop.sold(2_00)
  await railyard.insights.runOnce()
  railyard.clock.advance(-ahead)
  const payment = await shop.authorized(3_00)
  await railyard.insights.runOnce()
  await payment.increment(50)
  railyard.clock.advance(ahead)
  for (let round = 0; round < 2; round++) {
    expect(await total(shop)).toBe(3)
    expect(
      await values(shop, 'authorization/metrics/volume/modules/authorized', { currency: 'EUR' }),
    ).toEqual({ '1': 6_50 })
    await railyard.insights.runOnce()
  }
})

describe('totals over time', () => {
  test('totals have a value for each hour, the previous day, and the difference', async () => {
    const shop = await openShop(railyard)
    await shop.sold(10_00)
    railyard.clock.advance(24 * 3_600_000)
    await shop.sold(10_00)
    await shop.sold(20_00)
    const { body } = await shop.get(at('authorization/metrics/volume/totals', { currency: 'EUR' }))
    expect(body).toMatchObject({
      type: 'metrics-explorer.total',
      summary: { current: { value: 30_00 }, previous: { value: 10_00 }, delta: 200 },
    })
    const { current, previous } = body.series
    expect(current.values).toHaveLength(24)
    expect(current.values.at(-1)).toBe(30_00)
    expect(previous.values.at(-1)).toBe(10_00)
    expect(current.first_interval).toMatch(/^\d{4}-\d\d-\d\dT\d\d:00:00Z\/PT1H$/)
    const alone = await explore(shop, 'authorization/metrics/volume/totals', {
      currency: 'EUR',
      exclude_previous: 'true',
    })
    expect(alone).toMatchObject({
      series: { previous: null },
      summary: { current: { value: 30_00 }, previous: null, delta: null },
    })
  })

  test('auth_rate without payments is null, and its delta is a difference', async () => {
    const shop = await openShop(railyard)
    const empty = await explore(shop, 'monitoring/metrics/auth_rate/totals')
    expect(empty.summary).toEqual({ current: { value: null }, previous: { value: null }, delta: null })
    expect(new Set(empty.series.current.values)).toEqual(new Set([null]))
    await shop.sold(10_00)
    railyard.clock.advance(24 * 3_600_000)
    await shop.sold(10_00)
    await shop.pay(DECLINED)
    expect((await explore(shop, 'monitoring/metrics/auth_rate/totals')).summary).toEqual({
      current: { value: 0.5 },
      previous: { value: 1 },
      delta: -0.5,
    })
  })

  test.each([
    ['PT48H/hour_end', 48, 'PT1H'],
    ['PT49H/hour_end', 3, 'P1D'],
    ['P30D/now', 30, 'P1D'],
    ['PT90M/now', 2, 'PT1H'],
  ])('the range %s has %i values of %s', async (datetime_range, length, each) => {
    const shop = await openShop(railyard)
    const { series } = await explore(shop, 'authorization/metrics/transactions/totals', { datetime_range })
    expect(series.current.values).toEqual(Array(length).fill(0))
    expect(series.previous.values).toHaveLength(length)
    expect(series.current.first_interval.endsWith(`/${each}`)).toBe(true)
  })
})

test('the source authentication has payments with 3-D Secure; monitoring leaves out refusals that say nothing about payment services', async () => {
  const shop = await openShop(railyard)
  const proof = {
    cavv: 'AJkBByEyYgAAAASwgmEodQAAAAA=',
    eci: '05',
    version: '2.1.0',
    directory_response: 'Y',
    authentication_response: 'Y',
    directory_transaction_id: 'c4e59ceb-a382-4d6a-bc87-385d591fa09d',
  }
  await shop.sold(1_00)
  await shop.sold(1_00, { three_d_secure_data: proof })
  await shop.pay(1_00, { currency: 'CHF' })
  expect(await values(shop, 'authentication/metrics/transactions/modules/three_d_secure_eci')).toEqual({
    '05': 1,
  })
  expect(await values(shop, 'authentication/metrics/transactions/modules/liability_shifted')).toEqual({
    '1': 1,
  })
  expect(await values(shop, 'authentication/metrics/transactions/modules/authentication_outcome')).toEqual({
    complete: 1,
  })
  expect(await count(shop, 'error_code')).toMatchObject({ '\u0000': 2 })
  expect(await values(shop, 'monitoring/metrics/auth_rate/modules/method')).toEqual({ card: 1 })
})

test('rules and their shares have their present names', async () => {
  const shop = await openShop(railyard)
  const attempts = [{ payment_service_id: shop.paymentServiceId }]
  const rule = {
    display_name: 'Half and half',
    action: 'route-transaction',
    condition: { all: [] },
    outcome: {
      split: [
        { percent: 50, attempts },
        { percent: 50, attempts },
      ],
    },
  }
  const created = await shop.post('/flows/card-transaction/rules', rule)
  expect({ body: created.body, status: created.status }).toMatchObject({ status: 201 })
  await shop.post('/flows/card-transaction/rules/publish', {})
  await shop.sold(1_00)
  const [routed] = await explore(shop, 'authorization/metrics/transactions/modules/rule_route_transaction')
  expect(routed).toMatchObject({
    key: created.body.id,
    display_name: 'Half and half',
    value: 1,
    metadata: { flow: 'card-transaction' },
  })
  const [variant] = await explore(shop, 'authorization/metrics/transactions/modules/rule_variant_id')
  expect(variant.key).toMatch(new RegExp(`^${created.body.id}/[12]$`))
  expect(variant.display_name).toMatch(/^Half and half, share [12]$/)
  expect(await total(shop, { rule_variant_id: variant.key })).toBe(1)
})

describe('invalid queries of the explorer', () => {
  test.each<[string, Query, string]>([
    ['a bare duration', { currency: 'EUR', datetime_range: 'P1D' }, 'datetime_range'],
    ['volume without a currency', {}, 'currency'],
    ['a flag that is none', { currency: 'EUR', authorized: 'yes' }, 'authorized'],
    ['metadata of two pairs', { currency: 'EUR', metadata: '{"a":"1","b":"2"}' }, 'metadata'],
    ['metadata that is no JSON', { currency: 'EUR', metadata: 'a=1' }, 'metadata'],
  ])('%s is a 400 that names the parameter', async (_, query, pointer) => {
    const { status, body } = await railyard.admin.get(at('authorization/metrics/volume/totals', query))
    expect({ status, details: body.details }).toMatchObject({
      status: 400,
      details: [{ location: 'query', pointer }],
    })
  })

  test('unknown words, and characters that no payment can have, are a 422', async () => {
    for (const path of [
      at('nowhere/metrics/volume/totals', {}),
      at('authorization/metrics/volume/modules/weather', {}),
      at('authorization/metrics/volume/totals', { country: 'D\u0000E' }),
      '/metrics-explorer/authorization/metrics/volume/totals',
    ])
      expect((await railyard.admin.get(path)).status).toBe(422)
  })
})

test('the explorer shows no card number', async () => {
  const shop = await openShop(railyard)
  await shop.sold(1_00)
  const everything = await Promise.all(
    ['payment_method_bin', 'payment_method_card_issuer_name', 'metadata', 'raw_response_code'].map((module) =>
      explore(shop, `authorization/metrics/transactions/modules/${module}`),
    ),
  )
  expect(JSON.stringify(everything)).not.toContain(card.number)
})
