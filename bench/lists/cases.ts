import { pageOf } from '../../src/api/pagination.ts'
import type { Cipher } from '../../src/base/cipher.ts'
import { LIST_PRICE, type Place, RARE_CURRENCY, RARE_STATUS, type Sample } from './fill.ts'

/** Typical requests for the list; the same at both sizes. */
export const cases: Record<string, (sample: Sample, cipher: Cipher) => string[]> = {
  'no filter': () => [list({})],
  'status, common': () => [list({ status: 'capture_succeeded' })],
  'status, rare': () => [list({ status: RARE_STATUS })],
  'two statuses': () => [`${list({ status: 'authorization_failed' })}&status=authorization_voided`],
  'currency, common': () => [list({ currency: 'USD' })],
  'currency, rare': () => [list({ currency: RARE_CURRENCY })],
  'currency nobody used': () => [list({ currency: 'JPY' })],
  'external identifier': ({ external_identifier }) => [list({ external_identifier })],
  'buyer e-mail': ({ email }) => [list({ buyer_email_address: email })],
  'metadata, one payment': ({ cart }) => [list({ metadata: JSON.stringify({ cart }) })],
  'metadata, a quarter': () => [list({ metadata: JSON.stringify({ channel: 'app' }) })],
  'amount, exact': () => [list({ amount_eq: String(LIST_PRICE) })],
  'amount, range': () => [list({ amount_gte: '10000', amount_lte: '10500' })],
  'amount, nobody': () => [list({ amount_gte: '90000000' })],
  'created, one day': () => [
    list({ created_at_gte: '2026-07-10T00:00:00Z', created_at_lte: '2026-07-11T00:00:00Z' }),
  ],
  'created, a month': () => [
    list({ created_at_gte: '2026-07-01T00:00:00Z', created_at_lte: '2026-07-31T23:59:59Z' }),
  ],
  'created, first half': () => [list({ created_at_lte: '2026-07-15T00:30:00Z' })],
  'created, first hour ever': () => [list({ created_at_lte: '2026-06-01T01:00:00Z' })],
  'error code, rare': () => [list({ error_code: 'stolen_card' })],
  'search, order number': ({ external_identifier }) => [list({ search: external_identifier })],
  'payment service’s id': ({ service_id }) => [list({ payment_service_transaction_id: service_id })],
  'ip address': () => [list({ ip_address: '198.51.100.7' })],
  'outcome unknown': () => [list({ has_unknown_operations: 'true' })],
  'last four digits': () => [list({ payment_method_label: '0137' })],
  'card’s fingerprint': ({ fingerprint }) => [list({ payment_method_fingerprint: fingerprint })],
  ...pagesOf('no filter', {}, {}),
  ...pagesOf('status, common', { status: 'capture_succeeded' }, { status: ['capture_succeeded'] }),
  ...pagesOf('currency, common', { currency: 'USD' }, { currency: ['USD'] }),
  ...pagesOf('amount, exact', { amount_eq: String(LIST_PRICE) }, { amount_eq: LIST_PRICE }),
  ...pagesOf(
    'metadata, a quarter',
    { metadata: JSON.stringify({ channel: 'app' }) },
    { metadata: [JSON.stringify({ channel: 'app' })] },
  ),
  'one by id': ({ ids }) => ids.map((id) => `/transactions/${id}`),
}

const list = (filters: Record<string, string>) =>
  `/transactions?${new URLSearchParams({ limit: '20', ...filters })}`

/**
 * A page in the middle of a list and one at its end. `read`: the filters as the server reads them, to which
 * its cursors are bound.
 */
function pagesOf(
  name: string,
  filters: Record<string, string>,
  read: object,
): Record<string, (sample: Sample, cipher: Cipher) => string[]> {
  const page = (at: (sample: Sample) => Place) => (sample: Sample, cipher: Cipher) => [
    list({ ...filters, cursor: cursorAt(at(sample), read, cipher) }),
  ]
  return {
    [`${name}: middle page`]: page((sample) => sample),
    [`${name}: last page`]: page(({ last }) => last),
  }
}

/** Reading up to there would take 20,000 pages, so the server's own cursor function makes the cursor. */
function cursorAt({ updated_at, id }: Place, filters: object, cipher: Cipher): string {
  const row = { key: updated_at, id }
  const page = pageOf(
    cipher,
    `transactions/default/${JSON.stringify(filters)}`,
    { limit: 1, position: undefined },
    [row, row],
    (place) => place,
    () => null,
  )
  return page.next_cursor ?? ''
}
