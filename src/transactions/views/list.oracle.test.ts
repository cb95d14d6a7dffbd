import { expect, test } from 'vitest'
import { openWalletShop } from '../../../test/support/domains/wallet.ts'
import { startRailyardForFile } from '../../../test/support/start-railyard.ts'
import { type ApiAnswer, drawWith, guests, ips, type KnownPayment } from './list-oracle/draws.fixture.ts'
import { makePayments, prepareStage } from './list-oracle/payments.fixture.ts'
import { predicates, textsOf, type Values } from './list-oracle/predicates.fixture.ts'
import { TransactionQuery } from './transaction.list.ts'

/**
 * Each filter against a predicate on the API's own answers about each payment. The payments are drawn from
 * small pools, so that every value has payments that match and payments that do not, and every state of a
 * payment comes about through the API.
 */

const railyard = await startRailyardForFile()
const shop = await openWalletShop(railyard)
const stage = await prepareStage(railyard, shop)
const { second, storedBuyer, storedCard, storedGiftCard } = stage
const all = await makePayments(stage)

const booleans = Object.entries(TransactionQuery.properties).flatMap(([name, schema]) =>
  JSON.stringify(schema).includes('"boolean"') ? [name] : [],
)
const isList = (name: string) =>
  JSON.stringify(TransactionQuery.properties[name as keyof TransactionQuery]).includes('"array"')
const unknownId = '11111111-1111-4111-8111-111111111111'

const distinct = (values: unknown[]): string[] =>
  [...new Set(values.filter((value) => value !== null && value !== undefined).map(String))].sort()
const of = (read: (shown: ApiAnswer) => unknown) => distinct(all.flatMap(({ shown }) => read(shown)))

/** The values to try a filter with: those of the payments, and some that no payment has. */
const pools: Record<string, () => string[]> = {
  created_at_lte: () => [...of((shown) => shown.created_at), '2020-01-01T00:00:00+02:00'],
  created_at_gte: () => [...of((shown) => shown.created_at), '2120-01-01T00:00:00+02:00'],
  updated_at_lte: () => [...of((shown) => shown.updated_at), '2020-01-01T00:00:00Z'],
  updated_at_gte: () => [...of((shown) => shown.updated_at), '2120-01-01T00:00:00Z'],
  search: () => [
    ...of((shown) => [
      shown.id,
      shown.reconciliation_id,
      shown.external_identifier,
      shown.payment_service_transaction_id,
      shown.buyer?.id,
      shown.buyer?.external_identifier,
    ]),
    storedBuyer.toUpperCase(),
    'ORDER-1',
    'order',
  ],
  buyer_external_identifier: () => [...of((shown) => shown.buyer?.external_identifier), 'Guest-1'],
  buyer_id: () => [storedBuyer, storedBuyer.toUpperCase(), unknownId],
  buyer_email_address: () => [
    ...of((shown) => shown.buyer?.billing_details?.email_address),
    'ADA@EXAMPLE.COM',
    'ada@example',
  ],
  ip_address: () => [...distinct(ips), '192.0.2.1'],
  status: () => TransactionStatuses,
  id: () => of((shown) => [shown.id, shown.id.toUpperCase()]),
  payment_service_transaction_id: () => [...of((shown) => shown.payment_service_transaction_id), 'pay_none'],
  external_identifier: () => ['order-1', 'order-2', 'order'],
  metadata: () => ['{"shelf":"7"}', '{"row":"b"}', '{"shelf":"8","row":"b"}', '{}', '{"shelf":"9"}'],
  amount_eq: () => [...of((shown) => shown.amount), '1'],
  amount_lte: () => [...of((shown) => shown.amount), '1'],
  amount_gte: () => [...of((shown) => shown.amount), '2147483647'],
  currency: () => ['EUR', 'USD', 'GBP'],
  country: () => ['US', 'DE', 'JP'],
  payment_service_id: () => [shop.paymentServiceId, second.toUpperCase(), shop.walletServiceId, unknownId],
  payment_method_id: () => [...of((shown) => shown.payment_method?.id), storedCard.toUpperCase(), unknownId],
  payment_method_label: () => [...of((shown) => shown.payment_method?.label), '0000'],
  payment_method_scheme: () => [...of((shown) => shown.payment_method?.scheme), 'discover'],
  payment_method_country: () => ['US', 'DE', 'JP', 'FR', 'CN'],
  payment_method_fingerprint: () => [...of((shown) => shown.payment_method?.fingerprint), '0'.repeat(64)],
  method: () => ['card', 'wallet', 'gift-card', 'ideal'],
  error_code: () => [...of((shown) => shown.error_code), 'issuer_decline'],
  checkout_session_id: () => [...of((shown) => shown.checkout_session_id), unknownId],
  payment_link_id: () => [...distinct(all.map(({ link }) => link)), unknownId],
  reconciliation_id: () => [...of((shown) => shown.reconciliation_id), 'zzz'],
  gift_card_id: () => [storedGiftCard, storedGiftCard.toUpperCase(), unknownId],
  gift_card_last4: () => [
    ...of(({ gift_card_redemptions }) =>
      gift_card_redemptions.map(({ gift_card }: ApiAnswer) => gift_card.last4),
    ),
    'none',
  ],
  payment_method_bin: () => [...of((shown) => shown.payment_method?.details?.bin), '60110000'],
  payment_source: () => ['ecommerce', 'moto', 'recurring', 'installment', 'card_on_file'],
  reauthorized_from_transaction_id: () => [
    ...of((shown) => shown.reauthorized_from_transaction_id),
    unknownId,
  ],
  buyer_search: () => [...distinct(textsOf(guests)), storedBuyer, 'buyer-1', 'ada', 'STORED@example.com'],
  ...Object.fromEntries(booleans.map((name) => [name, () => ['true', 'false']])),
}

const TransactionStatuses = [
  'processing',
  'buyer_approval_pending',
  'authorization_succeeded',
  'authorization_declined',
  'authorization_failed',
  'authorization_void_pending',
  'authorization_voided',
  'capture_pending',
  'capture_succeeded',
]

type Filter = [name: string, values: Values]

const matches = (known: KnownPayment, [name, values]: Filter) => {
  const isMatch = predicates[name]?.(known, values) ?? expect.fail(name)
  return booleans.includes(name) ? isMatch === (values[0] === 'true') : isMatch
}

const query = (filters: Filter[]) =>
  filters.flatMap(([name, values]) => values.map((value) => `${name}=${encodeURIComponent(value)}`)).join('&')

/** Expects the API to find the payments that the predicates select; returns how many there are. */
async function expectMatches(filters: Filter[]): Promise<number> {
  const { status, body } = await shop.get(`/transactions?limit=100&${query(filters)}`)
  expect({ filters, status }).toEqual({ filters, status: 200 })
  const found = body.items.map(({ id }: ApiAnswer) => id).sort()
  const expected = all
    .filter((known) => filters.every((filter) => matches(known, filter)))
    .map(({ shown }) => shown.id)
  expect({ filters, found }).toEqual({ filters, found: expected.sort() })
  return expected.length
}

const names = Object.keys(TransactionQuery.properties).filter((name) => name !== 'cursor' && name !== 'limit')

test.each(names)(
  'the filter %s finds the payments that match it by their own answers, and no others',
  async (name) => {
    const pool = pools[name]?.() ?? []
    const tries: Values[] = pool.map((value) => [value])
    if (isList(name)) tries.push(...pool.slice(1).map((value, index) => [pool[index] ?? '', value]))
    const counts = []
    for (const values of tries) counts.push(await expectMatches([[name, values]]))
    // some value of each filter finds a payment, and some value leaves one out
    expect(Math.max(...counts)).toBeGreaterThan(0)
    expect(Math.min(...counts)).toBeLessThan(all.length)
  },
)

test('there are 45 filters, and each of them has its predicate', () => {
  expect(names).toHaveLength(45)
  expect(Object.keys(predicates).sort()).toEqual([...names].sort())
})

test('with two filters a payment must match both', async () => {
  const drawAny = drawWith(7)
  const withValue = (name: string): Filter => [name, [drawAny(pools[name]?.() ?? [])]]
  for (let tried = 0; tried < 150; tried += 1) {
    const first = drawAny(names)
    await expectMatches([withValue(first), withValue(drawAny(names.filter((name) => name !== first)))])
  }
})
