import { afterAll, beforeAll, expect, test } from 'vitest'
import { addGiftCardService, newGiftCard } from '../../../test/support/domains/gift-cards.ts'
import { externalAuthentication } from '../../../test/support/domains/three-d-secure.ts'
import { injectFaults } from '../../../test/support/provider.ts'
import { card, startTestRailyard, type TestRailyard } from '../../../test/support/railyard.ts'
import { addService, openShop, type Shop } from '../../../test/support/shop.ts'
import { TransactionSummary } from '../transaction.schema.ts'
import { TransactionQuery } from './transaction.list.ts'

let railyard: TestRailyard
let shop: Shop
let second: string
/** The payment that every filter is to find, and one that differs from it in every filter. */
let sought: Row
let other: Row

type Row = Record<string, never> & { id: string }

const uuid = (digit: number) => `${String(digit).repeat(8)}-1111-4111-8111-111111111111`

beforeAll(async () => {
  railyard = await startTestRailyard()
  shop = await openShop(railyard)
  second = await addService(railyard, shop, { accepted_currencies: ['USD', 'CHF'] })
  const [one, two] = [await paySought(), await payOther()]
  await setUnreachable(one)
  sought = (await shop.payment(one).read()) as Row
  other = (await shop.payment(two).read()) as Row
})
afterAll(() => railyard.close())

const buyer = {
  display_name: 'Ada Lovelace',
  external_identifier: 'buyer-1',
  billing_details: { first_name: 'Ada', email_address: 'ada@example.com', phone_number: '+4930123456' },
}

async function paySought(): Promise<string> {
  const more = {
    currency: 'USD',
    country: 'US',
    payment_service_id: second,
    external_identifier: 'order-1',
    metadata: { shelf: '7', row: 'b' },
    payment_source: 'card_on_file',
    merchant_initiated: true,
    is_subsequent_payment: true,
    payment_method: { ...card, number: '5555555555554444' },
    three_d_secure_data: externalAuthentication,
    intent: 'capture',
    buyer,
  }
  const { body } = await shop.pay(500_00, more, { 'x-forwarded-for': '203.0.113.9' })
  await shop.payment(body.id).refund({ amount: 1_00 })
  return body.id
}

/** Ten days later; a decline has an error code and no refund. */
async function payOther(): Promise<string> {
  railyard.clock.advance(10 * 86_400_000)
  const more = {
    metadata: { shelf: '8' },
    external_identifier: 'order-2',
    buyer: { external_identifier: 'buyer-2' },
  }
  return (await shop.pay(200011, more, { 'x-forwarded-for': '198.51.100.1' })).body.id
}

/** Values that the API can show and filter by, but that no request of this test brings about. */
async function setUnreachable(id: string): Promise<void> {
  await railyard.world.run(
    `update operations set status = 'unknown' where transaction_id = $1 and kind = 'refund'`,
    [id],
  )
  await railyard.world.run(
    `update transactions set pending_review = true, disputed = true, settled = true, checkout_session_id = $2, payment_link_id = $3,
            reauthorized_from_transaction_id = $4, buyer = buyer || jsonb_build_object('id', $5::text),
            payment_method = payment_method || jsonb_build_object('id', $6::text, 'country', 'PT')
      where id = $1`,
    [id, uuid(1), uuid(2), uuid(3), uuid(4), uuid(5)],
  )
}

const found = async (query: string) => {
  const { status, body } = await shop.get(`/transactions?${query}`)
  expect({ status, body }).toMatchObject({ status: 200 })
  return body.items.map((item: { id: string }) => item.id)
}

const param = (name: string, ...values: unknown[]) =>
  values.map((value) => `${name}=${encodeURIComponent(String(value))}`).join('&')
const at = (row: Row, field: string) => new Date(Date.parse(row[field] ?? '')).toISOString()

/** Each filter with a value that selects the sought payment only, and one that selects the other or none. */
const filters: Record<string, () => [selects: string, excludes: string]> = {
  created_at_gte: () => [
    `${param('created_at_gte', at(sought, 'created_at'))}&${param('created_at_lte', at(sought, 'created_at'))}`,
    param('created_at_gte', at(other, 'created_at')),
  ],
  created_at_lte: () => [
    param('created_at_lte', at(sought, 'created_at')),
    param('created_at_lte', '2020-01-01T00:00:00+02:00'),
  ],
  updated_at_gte: () => [
    `${param('updated_at_gte', at(sought, 'updated_at'))}&${param('updated_at_lte', at(sought, 'updated_at'))}`,
    param('updated_at_gte', at(other, 'updated_at')),
  ],
  updated_at_lte: () => [
    param('updated_at_lte', at(sought, 'updated_at')),
    param('updated_at_lte', '2020-01-01T00:00:00Z'),
  ],
  search: () => [param('search', 'buyer-1'), param('search', 'buyer')],
  buyer_external_identifier: () => [
    param('buyer_external_identifier', 'buyer-1'),
    param('buyer_external_identifier', 'buyer-2'),
  ],
  buyer_id: () => [param('buyer_id', uuid(4)), param('buyer_id', uuid(9))],
  buyer_email_address: () => [
    param('buyer_email_address', 'ada@example.com'),
    param('buyer_email_address', 'ada@example'),
  ],
  ip_address: () => [param('ip_address', '203.0.113.9'), param('ip_address', '198.51.100.1')],
  status: () => [param('status', 'capture_succeeded', 'processing'), param('status', 'authorization_failed')],
  id: () => [param('id', sought.id), param('id', other.id)],
  payment_service_transaction_id: () => [
    param('payment_service_transaction_id', sought['payment_service_transaction_id']),
    param('payment_service_transaction_id', 'pay_none'),
  ],
  external_identifier: () => [param('external_identifier', 'order-1'), param('external_identifier', 'order')],
  metadata: () => [
    param('metadata', '{"shelf":"7"}', '{"row":"b"}'),
    param('metadata', '{"shelf":"7","row":"c"}'),
  ],
  amount_eq: () => [param('amount_eq', 500_00), param('amount_eq', 500_01)],
  amount_lte: () => [param('amount_lte', 500_00), param('amount_lte', 499_99)],
  amount_gte: () => [
    `${param('amount_gte', 500_00)}&${param('amount_lte', 500_00)}`,
    param('amount_gte', 500_01),
  ],
  currency: () => [param('currency', 'USD', 'GBP'), param('currency', 'EUR')],
  country: () => [param('country', 'US', 'DE'), param('country', 'DE')],
  payment_service_id: () => [
    param('payment_service_id', second, uuid(9)),
    param('payment_service_id', shop.paymentServiceId),
  ],
  payment_method_id: () => [param('payment_method_id', uuid(5)), param('payment_method_id', uuid(9))],
  payment_method_label: () => [param('payment_method_label', '4444'), param('payment_method_label', '1111')],
  payment_method_scheme: () => [
    param('payment_method_scheme', 'mastercard', 'amex'),
    param('payment_method_scheme', 'visa'),
  ],
  payment_method_country: () => [
    param('payment_method_country', 'PT'),
    param('payment_method_country', 'DE'),
  ],
  payment_method_fingerprint: () => [
    param(
      'payment_method_fingerprint',
      (sought['payment_method'] as unknown as { fingerprint: string }).fingerprint,
    ),
    param(
      'payment_method_fingerprint',
      (other['payment_method'] as unknown as { fingerprint: string }).fingerprint,
    ),
  ],
  method: () => [`${param('method', 'card')}&${param('id', sought.id)}`, param('method', 'ideal')],
  error_code: () => [
    `${param('id', sought.id)}`,
    param('error_code', 'insufficient_funds', 'issuer_decline'),
  ],
  has_refunds: () => [param('has_refunds', true), param('has_refunds', false)],
  has_unknown_operations: () => [
    param('has_unknown_operations', true),
    param('has_unknown_operations', false),
  ],
  pending_review: () => [param('pending_review', true), param('pending_review', false)],
  checkout_session_id: () => [param('checkout_session_id', uuid(1)), param('checkout_session_id', uuid(9))],
  payment_link_id: () => [param('payment_link_id', uuid(2)), param('payment_link_id', uuid(9))],
  reconciliation_id: () => [
    param('reconciliation_id', sought['reconciliation_id']),
    param('reconciliation_id', 'zzz'),
  ],
  has_gift_card_redemptions: () => [
    `${param('has_gift_card_redemptions', false)}&${param('id', sought.id)}`,
    param('has_gift_card_redemptions', true),
  ],
  gift_card_id: () => [param('id', sought.id), param('gift_card_id', uuid(1))],
  gift_card_last4: () => [param('id', sought.id), param('gift_card_last4', '4444')],
  has_settlements: () => [param('has_settlements', true), param('has_settlements', false)],
  payment_method_bin: () => [
    param('payment_method_bin', '55555555'),
    param('payment_method_bin', '41111111'),
  ],
  payment_source: () => [
    param('payment_source', 'card_on_file', 'moto'),
    param('payment_source', 'ecommerce'),
  ],
  is_subsequent_payment: () => [param('is_subsequent_payment', true), param('is_subsequent_payment', false)],
  merchant_initiated: () => [param('merchant_initiated', true), param('merchant_initiated', false)],
  used_3ds: () => [param('used_3ds', true), param('used_3ds', false)],
  disputed: () => [param('disputed', true), param('disputed', false)],
  reauthorized_from_transaction_id: () => [
    param('reauthorized_from_transaction_id', uuid(3)),
    param('reauthorized_from_transaction_id', uuid(9)),
  ],
  buyer_search: () => [param('buyer_search', 'Ada', '+4930123456'), param('buyer_search', 'Ada', 'Charles')],
}

test.each(Object.keys(filters))('the filter %s finds the payment that matches and no other', async (name) => {
  const [selects, excludes] = filters[name]?.() ?? ['', '']
  expect(await found(selects)).toEqual([sought.id])
  expect(await found(excludes)).not.toContain(sought.id)
})

test('there are 45 filters, and this test has a case for each', () => {
  const { cursor: _c, limit: _l, ...all } = TransactionQuery.properties
  expect(Object.keys(filters).sort()).toEqual(Object.keys(all).sort())
  expect(Object.keys(filters)).toHaveLength(45)
})

test('a payment by gift cards is found by a card’s id, by its last digits, and by has_gift_card_redemptions', async () => {
  const merchant = await openShop(railyard)
  await addGiftCardService(railyard, merchant)
  const [one, two] = [newGiftCard(), newGiftCard()]
  const { id } = (await merchant.post('/gift-cards', one)).body
  const plain = await merchant.authorized(1_00)
  const shared = await merchant.authorized(30_00, {
    gift_cards: [
      { id, amount: 10_00 },
      { ...two, amount: 5_00 },
    ],
  })
  const inline = await merchant.authorized(30_00, { gift_cards: [{ ...two, amount: 5_00 }] })
  const refused = await merchant.authorized(30_00, {
    gift_cards: [
      { id, amount: 29_00 },
      { ...newGiftCard('01'), amount: 50 },
    ],
  })
  const ids = async (query: string) =>
    (await merchant.get(`/transactions?${query}`)).body.items.map((item: { id: string }) => item.id).sort()
  const sorted = (...payments: { id: string }[]) => payments.map((payment) => payment.id).sort()
  expect(await ids('has_gift_card_redemptions=true')).toEqual(sorted(shared, inline, refused))
  expect(await ids('has_gift_card_redemptions=false')).toEqual([plain.id])
  expect(await ids(param('gift_card_id', id))).toEqual(sorted(shared, refused))
  expect(await ids(param('gift_card_last4', two.number.slice(-4)))).toEqual(sorted(shared, inline))
  expect(await ids(`${param('gift_card_id', id)}&${param('gift_card_last4', two.number.slice(-4))}`)).toEqual(
    [shared.id],
  )
  expect(await ids(param('gift_card_id', uuid(7)))).toEqual([])
  expect((await shop.get(`/transactions?${param('gift_card_id', id)}`)).body.items).toEqual([])
})

test('has_refunds finds a payment once its refund has succeeded', async () => {
  const refunder = await openShop(railyard)
  const pending = await refunder.sold(520_005)
  expect(await pending.refund({ amount: 520_005 })).toMatchObject({
    status: 201,
    body: { status: 'processing' },
  })
  expect((await refunder.get('/transactions?has_refunds=true')).body.items).toEqual([])
  await pending.sync()
  expect((await refunder.get('/transactions?has_refunds=true')).body.items).toMatchObject([
    { id: pending.id },
  ])
})

test('has_unknown_operations finds a payment while its refund has no outcome, in its own account', async () => {
  const [refunder, neighbour] = [await openShop(railyard), await openShop(railyard)]
  const [payment, sold] = [await refunder.sold(20_00), await refunder.sold(30_00)]
  await injectFaults(railyard, { operation: 'refund', kind: 'lost', times: 1 })
  await payment.refund({ amount: 5_00 })
  const listed = async (client: Shop, wanted: boolean) =>
    (await client.get(`/transactions?has_unknown_operations=${wanted}`)).body.items.map(
      ({ id }: { id: string }) => id,
    )
  expect(await listed(refunder, true)).toEqual([payment.id])
  expect(await listed(refunder, false)).toEqual([sold.id])
  expect(await listed(neighbour, true)).toEqual([])
  await injectFaults(railyard)
  await payment.sync()
  expect(await listed(refunder, true)).toEqual([])
})

test('a payment must match every filter of the query', async () => {
  expect(await found('currency=USD&status=capture_succeeded&has_refunds=true')).toEqual([sought.id])
  expect(await found('currency=USD&status=authorization_failed')).toEqual([])
})

test('an error code finds the payments that failed with it', async () => {
  expect(await found('error_code=insufficient_funds&error_code=issuer_decline')).toEqual([other.id])
})

test('search finds a payment by its id, its reconciliation id, its external identifier and the payment service’s id', async () => {
  for (const field of ['id', 'reconciliation_id', 'external_identifier', 'payment_service_transaction_id']) {
    expect(await found(param('search', sought[field]))).toEqual([sought.id])
  }
  expect(await found(param('search', uuid(4)))).toEqual([sought.id])
})

test('a list shows the summary of each transaction, with the members of the schema and no others', async () => {
  const [item] = (await shop.get(`/transactions?id=${sought.id}`)).body.items
  expect(Object.keys(item)).toEqual(Object.keys(TransactionSummary.properties))
  expect(sought).toMatchObject(item)
  expect(item).not.toHaveProperty('metadata')
})

test('a list has the most recently updated payment first, and none of another account', async () => {
  const stranger = await openShop(railyard)
  await stranger.authorized(1_00)
  expect(await found('')).toEqual([other.id, sought.id])
  expect((await stranger.get('/transactions')).body.items).toHaveLength(1)
})

test.each([
  ['amount_eq=-1', 422],
  ['amount_eq=100000000000', 422],
  ['status=paid', 422],
  ['created_at_gte=2024-01-01T00:00:00', 422],
  ['gift_card_last4=123', 422],
  ['id=1', 422],
  ['limit=0', 422],
  ['limit=101', 422],
  ['colour=red', 422],
  ['metadata=shelf', 400],
  ['metadata=%7B%22a%22%3A1%7D', 400],
  ['cursor=forged', 400],
])('%s is refused with %i', async (query, status) => {
  expect((await shop.get(`/transactions?${query}`)).status).toBe(status)
})
