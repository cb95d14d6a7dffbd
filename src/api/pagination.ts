import { type Cipher, isSignature } from '../base/cipher.ts'
import { invalidCursor } from './errors.ts'

/** Where a page begins: after (`next`) or before (`previous`) the row with this sort key and id. */
export interface Position {
  direction: 'next' | 'previous'
  key: string
  id: string
}

export interface PageQuery {
  cursor?: string | null | undefined
  limit?: number | undefined
}

/** What a store gets: it answers up to `limit` rows beyond `position`, and one more if there are more. */
export interface PageRequest {
  limit: number
  position: Position | undefined
}

const TAG = 12

/**
 * Reads a cursor. `list` names the list, its account and its filters, so that a cursor of another list is
 * refused. Throws 400 for `parameter` if the signature is not that of this list.
 */
export function readPage(cipher: Cipher, list: string, query: PageQuery, parameter?: string): PageRequest {
  const { cursor, limit = 20 } = query
  if (cursor === null || cursor === undefined) return { limit, position: undefined }
  const [payload = '', signature = '', rest] = cursor.split('.')
  if (rest !== undefined || !isSignature(cipher, 'cursor', signed(list, payload), signature, TAG))
    throw invalidCursor(parameter)
  const [direction, key, id] = JSON.parse(Buffer.from(payload, 'base64url').toString('utf8'))
  return { limit, position: { direction, key, id } }
}

/** What is signed. As JSON, so that the name of a list cannot run into the payload. */
const signed = (list: string, payload: string) => JSON.stringify([list, payload])

/** A signed cursor to this position of a list. */
export function cursorTo(cipher: Cipher, list: string, { direction, key, id }: Position): string {
  const payload = Buffer.from(JSON.stringify([direction, key, id])).toString('base64url')
  const signature = cipher.mac('cursor', signed(list, payload)).subarray(0, TAG).toString('base64url')
  return `${payload}.${signature}`
}

/**
 * The envelope of a page (API §2.12). `rows` are the rows that the store found, nearest to the position
 * first: for `previous` in reverse order of the list.
 */
export function pageOf<Row, Item>(
  cipher: Cipher,
  list: string,
  { limit, position }: PageRequest,
  rows: Row[],
  positionOf: (row: Row) => { key: string; id: string },
  show: (row: Row) => Item,
) {
  const backwards = position?.direction === 'previous'
  const hasMore = rows.length > limit
  const page = backwards ? rows.slice(0, limit).reverse() : rows.slice(0, limit)
  const [first, last] = [page[0], page.at(-1)]
  const cursor = (direction: Position['direction'], row: Row | undefined) =>
    row ? cursorTo(cipher, list, { direction, ...positionOf(row) }) : null
  return {
    items: page.map(show),
    limit,
    next_cursor: backwards || hasMore ? cursor('next', last) : null,
    previous_cursor: (backwards && hasMore) || (position && !backwards) ? cursor('previous', first) : null,
  }
}

/** How a list is read, and what is shown of it. */
interface List<Row, Item> {
  /** The rows of a page, as `pageOf` takes them. */
  read: (page: PageRequest) => Row[] | Promise<Row[]>
  positionOf: (row: Row) => { key: string; id: string }
  show: (row: Row) => Item
}

/** Answers the page of a list that the query asks for; throws as `readPage` does. */
export async function answerPage<Row, Item>(
  cipher: Cipher,
  list: string,
  query: PageQuery,
  { read, positionOf, show }: List<Row, Item>,
) {
  const page = readPage(cipher, list, query)
  return pageOf(cipher, list, page, await read(page), positionOf, show)
}
