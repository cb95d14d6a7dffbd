/** A list. Iterating it sends a request for each page, one after the other, when its items are needed. */
export interface List<Item, Page> extends AsyncIterable<Item> {
  /** The first page, or the page of `cursor`. */
  page(): Promise<Page>
  /** Each page from there on. */
  pages(): AsyncIterable<Page>
}

/** What pages may have; a page may also be the items themselves. */
interface AnyPage {
  items?: unknown[]
  next_cursor?: string | null
}

/**
 * A list whose pages `load` answers, by the cursor of each. `isFeed`: its last page has a cursor, too, from
 * which later events can be read; it ends with an empty page.
 */
export function listOf(load: (cursor?: string) => Promise<unknown>, isFeed: boolean): List<unknown, unknown> {
  async function* pages() {
    let cursor: string | undefined
    while (true) {
      const page = await load(cursor)
      const next = cursorOf(page)
      const isLast = !next || next === cursor || (isFeed && itemsOf(page).length === 0)
      // the empty page of a feed has the cursor to go on from
      yield page
      if (isLast) return
      cursor = next
    }
  }
  return {
    page: () => load(),
    pages,
    async *[Symbol.asyncIterator]() {
      for await (const page of pages()) yield* itemsOf(page)
    },
  }
}

const isPage = (page: unknown): page is AnyPage => typeof page === 'object' && page !== null
const itemsOf = (page: unknown): unknown[] =>
  Array.isArray(page) ? page : ((isPage(page) ? page.items : undefined) ?? [])
const cursorOf = (page: unknown) => (isPage(page) ? page.next_cursor : undefined)
