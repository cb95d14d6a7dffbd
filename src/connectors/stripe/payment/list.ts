import type { ServiceCall } from '../../contract/call.ts'
import type { HttpRequest } from '../../wire/http-message.ts'
import { readId, readPage } from '../answer.schema.ts'
import type { Body, Wire } from '../wire.ts'

/** Undefined: the list could not be read to its end. */
export type Listing<Item> = readonly Item[] | undefined

const MAX_PAGES = 20

interface ListRequest {
  path: string
  query: Body
  /** The newest ones of a list that is too long suffice. */
  newest?: boolean
  record?: HttpRequest['record']
}

/**
 * The items of a list, newest first. An item that cannot be read makes the list unreadable, and so does a list
 * of more than 2,000, unless `newest` asks for the newest ones only.
 */
export async function listAll<Item>(
  wire: Wire,
  call: ServiceCall,
  { path, query, newest = false, record }: ListRequest,
  read: (item: unknown) => Item | undefined,
): Promise<Listing<Item>> {
  const items: Item[] = []
  let after: string | undefined
  for (let page = 0; page < MAX_PAGES; page += 1) {
    const asked = { ...query, limit: 100, starting_after: after }
    const answer = await wire.get(call, path, asked, record)
    const list = !answer.lost && answer.status === 200 ? readPage(answer.body) : undefined
    const parsed = list?.items.map(read).filter((item) => item !== undefined)
    if (!list || !parsed || parsed.length !== list.items.length) return undefined
    items.push(...parsed)
    after = readId(list.items.at(-1))
    if (!list.hasMore) return items
    if (after === undefined) return undefined
  }
  return newest ? items : undefined
}
