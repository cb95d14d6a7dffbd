import { type Cipher, isSignature } from '../base/cipher.ts'
import { invalidCursor } from './errors.ts'

/** Where a page begins: after (or before) the row with this sort key and id. */
export interface Position {
  direction: 'next' | 'previous'
  key: string
  id: string
}

export interface PageQuery {
  cursor?: string | null
  limit?: number
}

/** What a list's store is asked for: up to `limit` rows beyond `position`, and one more to know whether there are others. */
export interface PageRequest {
  limit: number
  position: Position | undefined
}

const TAG = 12

/** `list` names the list and whose it is, so that a cursor of one is refused by another. The cursor is signed: a forged one is a 400, which blames `parameter`. */
export function readPage(cipher: Cipher, list: string, query: PageQuery, parameter?: string): PageRequest {
  const { cursor, limit = 20 } = query
  if (cursor === null || cursor === undefined) return { limit, position: undefined }
  const [payload = '', signature = '', rest] = cursor.split('.')
  if (rest !== undefined || !isSignature(cipher, 'cursor', signed(list, payload), signature, TAG)) throw invalidCursor(parameter)
  const [direction, key, id] = JSON.parse(Buffer.from(payload, 'base64url').toString('utf8'))
  return { limit, position: { direction, key, id } }
}

/** As JSON, so that no name of a list can run into the payload. */
const signed = (list: string, payload: string) => JSON.stringify([list, payload])

/** A signed cursor to this place of a list. */
export function cursorTo(cipher: Cipher, list: string, { direction, key, id }: Position): string {
  const payload = Buffer.from(JSON.stringify([direction, key, id])).toString('base64url')
  const signature = cipher.mac('cursor', signed(list, payload)).subarray(0, TAG).toString('base64url')
  return `${payload}.${signature}`
}

/**
 * The envelope of a page (SPEC §2.12). `rows` are what the store found, nearest to the position first: for `previous` that is the list's
 * order turned round.
 */
export function pageOf<Row, Item>(
  cipher: Cipher,
  list: string,
  { limit, position }: PageRequest,
  rows: Row[],
  place: (row: Row) => { key: string; id: string },
  show: (row: Row) => Item,
) {
  const backwards = position?.direction === 'previous'
  const more = rows.length > limit
  const page = backwards ? rows.slice(0, limit).reverse() : rows.slice(0, limit)
  const [first, last] = [page[0], page.at(-1)]
  const cursor = (direction: Position['direction'], row: Row | undefined) => (row ? cursorTo(cipher, list, { direction, ...place(row) }) : null)
  return {
    items: page.map(show),
    limit,
    next_cursor: backwards || more ? cursor('next', last) : null,
    previous_cursor: (backwards && more) || (position && !backwards) ? cursor('previous', first) : null,
  }
}
