import { afterAll, expect, test } from 'vitest'
import { booksOf } from '../../../test/support/provider.ts'
import { card } from '../../../test/support/railyard.ts'
import { invalidFields } from '../../../test/support/shop.ts'
import { startShop } from '../../../test/support/start-shop.ts'

const { railyard, shop } = await startShop({ comparesBooks: false })
afterAll(async () => {
  const sent = (await booksOf(railyard)).operations.filter(
    ({ payment_service_id, amount }) => payment_service_id === shop.paymentServiceId && amount === 1_11,
  )
  expect(sent).toEqual([])
})

/**
 * A payment that must not reach the provider: the end of this file looks for its amount in the provider's
 * books.
 */
const refused = (more: Record<string, unknown>) => shop.pay(1_11, more)
const withCard = (more: Record<string, unknown>) => ({ payment_method: { ...card, ...more } })
const uuid = '11111111-1111-4111-8111-111111111111'

test.each([
  [
    'a card number with a wrong check digit',
    withCard({ number: '4111111111111112' }),
    '/payment_method/number',
  ],
  [
    'a card that expired last year',
    withCard({ expiration_date: '12/24' }),
    '/payment_method/expiration_date',
  ],
  ['a month 13', withCard({ expiration_date: '13/35' }), '/payment_method/expiration_date'],
  ['a month 00', withCard({ expiration_date: '00/35' }), '/payment_method/expiration_date'],
  [
    'an external identifier on a card that is not stored',
    withCard({ external_identifier: 'c-1' }),
    '/payment_method/external_identifier',
  ],
  [
    'a stored method that does not exist',
    { payment_method: { method: 'id', id: uuid } },
    '/payment_method/id',
  ],
  ['no payment method', { payment_method: null }, '/payment_method'],
  ['a currency that does not exist', { currency: 'XYZ' }, '/currency'],
  ['a capture of nothing', { amount: 0, intent: 'capture' }, '/amount'],
  ['async_capture without the intent to capture', { async_capture: true }, '/async_capture'],
  ['a buyer that does not exist', { buyer_id: uuid }, '/buyer_id'],
  [
    'a buyer identifier that does not exist',
    { buyer_external_identifier: 'nobody' },
    '/buyer_external_identifier',
  ],
  ['shipping details that do not exist', { shipping_details_id: uuid }, '/shipping_details_id'],
  [
    'storing a wallet’s token',
    {
      store: true,
      payment_method: { method: 'network-token', token: '4111111111111111', expiration_date: '12/35' },
    },
    '/store',
  ],
  ['an approval that expired', { approval_expires_at: '2020-01-01T00:00:00Z' }, '/approval_expires_at'],
  ['a payment service that does not exist', { payment_service_id: uuid }, '/payment_service_id'],
  [
    'a descriptor without a letter',
    { statement_descriptor: { name: '12345' } },
    '/statement_descriptor/name',
  ],
  [
    'a descriptor with an asterisk',
    { statement_descriptor: { description: 'Shop *Berlin' } },
    '/statement_descriptor/description',
  ],
  [
    'more than 249 cart items',
    { cart_items: Array.from({ length: 250 }, () => ({ name: 'x', quantity: 1, unit_amount: 1 })) },
    '/cart_items',
  ],
  [
    'more than 50 metadata pairs',
    { metadata: Object.fromEntries(Array.from({ length: 51 }, (_, index) => [`k${index}`, 'v'])) },
    '/metadata',
  ],
  ['a metadata value of 501 characters', { metadata: { key: 'v'.repeat(501) } }, '/metadata'],
  ['a metadata key of 101 characters', { metadata: { ['k'.repeat(101)]: 'v' } }, '/metadata'],
])('%s is refused with 400, and the error names the field', async (_what, more, pointer) => {
  expect(await refused(more)).toMatchObject(invalidFields(pointer))
})

test('one answer names every problem with a card', async () => {
  expect(await refused(withCard({ number: '4111111111111112', expiration_date: '01/20' }))).toMatchObject(
    invalidFields('/payment_method/number', '/payment_method/expiration_date'),
  )
})

const flags = ['ecommerce', 'moto', 'card_on_file', 'recurring', 'installment'].flatMap((payment_source) =>
  [false, true].flatMap((merchant_initiated) =>
    [false, true].map((is_subsequent_payment) => ({
      payment_source,
      merchant_initiated,
      is_subsequent_payment,
    })),
  ),
)

/** The rule on flags, written from the text of semantics §3.9 and not from the code. */
function illegalFlag({
  payment_source: source,
  merchant_initiated: merchant,
  is_subsequent_payment: subsequent,
}: (typeof flags)[number]) {
  const scheduled = source === 'recurring' || source === 'installment'
  if (merchant && !scheduled && source !== 'card_on_file') return '/merchant_initiated'
  if (merchant && scheduled && !subsequent) return '/is_subsequent_payment'
  // the first payment of a series needs `store`
  if (scheduled && !merchant) return '/store'
  return undefined
}

test.each(flags)(
  'the payment source $payment_source with merchant_initiated $merchant_initiated and is_subsequent_payment $is_subsequent_payment is accepted or refused as the rule on flags says',
  async (flag) => {
    const pointer = illegalFlag(flag)
    const answer = await shop.pay(pointer ? 1_11 : 2_22, flag)
    if (!pointer)
      expect(answer).toMatchObject({ status: 201, body: { status: 'authorization_succeeded', ...flag } })
    else {
      expect(answer.status).toBe(400)
      expect(answer.body.details.map((detail: { pointer: string }) => detail.pointer)).toContain(pointer)
    }
  },
)

test.each([
  ['a missing amount', { amount: undefined }, ['body', 'amount']],
  ['a negative amount', { amount: -1 }, ['body', 'amount']],
  ['an amount above 99999999', { amount: 100_000_000 }, ['body', 'amount']],
  ['an amount with a fraction', { amount: 1.5 }, ['body', 'amount']],
  ['an amount as text', { amount: '100' }, ['body', 'amount']],
  ['a currency in small letters', { currency: 'eur' }, ['body', 'currency']],
  ['a country of three letters', { country: 'DEU' }, ['body', 'country']],
  ['an unknown intent', { intent: 'charge' }, ['body', 'intent']],
  ['an unknown property', { colour: 'red' }, ['body', 'colour']],
  ['a card number of 12 digits', withCard({ number: '411111111111' }), ['body', 'payment_method', 'number']],
  [
    'a card number of 20 digits',
    withCard({ number: '41111111111111111111' }),
    ['body', 'payment_method', 'number'],
  ],
  [
    'a card number with spaces',
    withCard({ number: '4111 1111 1111 1111' }),
    ['body', 'payment_method', 'number'],
  ],
  [
    'a security code of two digits',
    withCard({ security_code: '12' }),
    ['body', 'payment_method', 'security_code'],
  ],
  [
    'an expiry without a slash',
    withCard({ expiration_date: '12-35' }),
    ['body', 'payment_method', 'expiration_date'],
  ],
  ['metadata that is not text', { metadata: { a: 1 } }, ['body', 'metadata', 'a']],
  ['an installment count of zero', { installment_count: 0 }, ['body', 'installment_count']],
  ['a bad UUID', { payment_service_id: 'mock' }, ['body', 'payment_service_id']],
])('%s is refused with 422, and the error names the place', async (_what, more, loc) => {
  const { status, body } = await refused(more)
  expect(status).toBe(422)
  expect(body.detail.map((problem: { loc: unknown }) => problem.loc)).toContainEqual(loc)
  expect(JSON.stringify(body)).not.toContain('411111111111')
})

test('a transaction id in the path that is not a UUID is a 422, and an unknown one a 404', async () => {
  expect((await shop.get('/transactions/1')).status).toBe(422)
  expect(await shop.get(`/transactions/${uuid}`)).toMatchObject({ status: 404, body: { code: 'not_found' } })
})

test('the buyer’s IP address is the first one in x-forwarded-for', async () => {
  const { body } = await shop.pay(2_22, {}, { 'x-forwarded-for': '203.0.113.9, 10.0.0.1' })
  expect((await shop.get('/transactions?ip_address=203.0.113.9')).body.items).toMatchObject([{ id: body.id }])
})
