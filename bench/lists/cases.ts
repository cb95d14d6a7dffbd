import { pageOf } from '../../src/api/pagination.ts'
import type { Cipher } from '../../src/cipher.ts'
import { LIST_PRICE, RARE_CURRENCY, RARE_STATUS, type Sample } from './fill.ts'

/** Requests that people and programs make of the list; the same ones at both sizes. */
export const cases: Record<string, (sample: Sample, cipher: Cipher) => string[]> = {
  'no filter': () => [list({})],
  'middle page': (sample, cipher) => [list({ cursor: cursorAt(sample, cipher) })],
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
  'created, one day': () => [list({ created_at_gte: '2026-07-10T00:00:00Z', created_at_lte: '2026-07-11T00:00:00Z' })],
  'created, a month': () => [list({ created_at_gte: '2026-07-01T00:00:00Z', created_at_lte: '2026-07-31T23:59:59Z' })],
  'created, first half': () => [list({ created_at_lte: '2026-07-15T00:30:00Z' })],
  'created, first hour ever': () => [list({ created_at_lte: '2026-06-01T01:00:00Z' })],
  'error code, rare': () => [list({ error_code: 'stolen_card' })],
  'search, order number': ({ external_identifier }) => [list({ search: external_identifier })],
  'one by id': ({ ids }) => ids.map((id) => `/transactions/${id}`),
}

const list = (filters: Record<string, string>) => `/transactions?${new URLSearchParams({ limit: '20', ...filters })}`

/** Walking there would take 20,000 pages; the server's own writer of cursors says where the middle is. */
function cursorAt({ updated_at, id }: Sample, cipher: Cipher): string {
  const row = { key: updated_at, id }
  const page = pageOf(
    cipher,
    'transactions/default/{}',
    { limit: 1, position: undefined },
    [row, row],
    (place) => place,
    () => null,
  )
  return page.next_cursor ?? ''
}
