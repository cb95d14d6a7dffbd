import { record } from '../../core/books.ts'
import type { Sandbox } from '../../sandbox.ts'
import type { Basket, OrderBody, SessionBody } from './bnpl.schema.ts'

/** What a merchant wants a buyer to approve. */
export interface Session {
  service: string
  id: string
  client_token: string
  body: SessionBody
  expires_at: string
  /** The token of the latest approval; null while there is none. */
  token: string | null
}

export type PageStatus = 'WAITING' | 'COMPLETED' | 'CANCELLED' | 'FAILED' | 'DISABLED'

/** A page on which the buyer of a session approves. */
export interface Page {
  service: string
  id: string
  session: string
  urls: Readonly<Record<string, string>>
  status: PageStatus
  updated_at: string
  expires_at: string
}

/** A buyer's approval: good for one order of the same basket, for an hour. */
export interface Token {
  service: string
  token: string
  /** Null where the express button made it. */
  session: string | null
  basket: Basket
  expires_at: string
  /** The key of the request that placed its order. */
  used_by: string | null
  cancelled: boolean
}

/** An order. What happened to its money is in the books; by these keys. */
export interface Order {
  service: string
  id: string
  body: OrderBody
  operations: readonly { key: string; reference: string | null }[]
  released: boolean
  created_at: string
  expires_at: string
}

interface Documents {
  session: Session
  page: Page
  token: Token
  order: Order
  /** The session of a client token. */
  client: { service: string; session: string }
}

const documentKey = (kind: keyof Documents, id: string) => `bnpl/${kind}/${id}`

/** Keeps a document as it now is: a restart forgets none. */
export function storeDocument<Kind extends keyof Documents>({ books }: Sandbox, kind: Kind, id: string, document: Documents[Kind]): void {
  record(books, { entry: 'document', id: documentKey(kind, id), document })
}

/** A document of this payment service; another's is nobody's business. */
export function findDocument<Kind extends keyof Documents>({ books }: Sandbox, service: string, kind: Kind, id: string): Documents[Kind] | undefined {
  // only `keep` writes under these names
  const document = books.documents.get(documentKey(kind, id)) as Documents[Kind] | undefined
  return document?.service === service ? document : undefined
}

/** A time from now, as documents bear it. */
export const timeFromNow = ({ clock }: Sandbox, milliseconds: number): string => new Date(clock.now() + milliseconds).toISOString()

export const hasExpired = ({ clock }: Sandbox, { expires_at }: { expires_at: string }): boolean => clock.now() >= Date.parse(expires_at)
