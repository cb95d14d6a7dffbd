import type { Sandbox } from '../sandbox.ts'
import { record } from './books.ts'

/** Documents of one type in a provider's books, such as orders or tokens. A restart keeps them. */
export interface DocumentStore<Document> {
  store(sandbox: Pick<Sandbox, 'books'>, id: string, document: Document): Document
  find(sandbox: Pick<Sandbox, 'books'>, id: string): Document | undefined
  list(sandbox: Pick<Sandbox, 'books'>): { id: string; document: Document }[]
}

/** `prefix` starts the keys of these documents. No other store may use it: `find` relies on the type of what `store` wrote. */
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
        key.startsWith(keyOf('')) ? [{ id: key.slice(keyOf('').length), document: document as Document }] : [],
      ),
  }
}
