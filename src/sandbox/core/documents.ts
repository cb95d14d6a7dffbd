import { type Books, record } from './books.ts'

/** The part of a sandbox that keeps documents. */
interface BookKeeper {
  books: Books
}

/** Documents of one type in a provider's books, such as orders or tokens. A restart keeps them. */
export interface DocumentStore<Document> {
  store(sandbox: BookKeeper, id: string, document: Document): Document
  find(sandbox: BookKeeper, id: string): Document | undefined
  list(sandbox: BookKeeper): { id: string; document: Document }[]
}

/**
 * `prefix` starts the keys of these documents. No other store may use it: `find` relies on the type of what
 * `store` wrote.
 */
export function documentStore<Document>(prefix: string): DocumentStore<Document> {
  const keyOf = (id: string) => `${prefix}/${id}`
  return {
    store({ books }, id, document) {
      record(books, { entry: 'document', id: keyOf(id), document })
      return document
    },
    find: ({ books }, id) => books.documents.get(keyOf(id)) as Document | undefined,
    list: ({ books }) =>
      [...books.documents].flatMap(([key, document]) =>
        key.startsWith(keyOf(''))
          ? [{ id: key.slice(keyOf('').length), document: document as Document }]
          : [],
      ),
  }
}
