import { type DocumentStore, documentStore } from '../../core/documents.ts'
import type { Sandbox } from '../../sandbox.ts'
import type { Basket, OrderBody, SessionBody } from './bnpl.schema.ts'

/** A session: the basket that the merchant asks a buyer to approve. */
export interface Session {
  service: string
  id: string
  client_token: string
  body: SessionBody
  expires_at: string
  /** The token of the latest approval; null before there is one. */
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

/** A buyer's approval, valid for an hour and for one order of the same basket. */
export interface Token {
  service: string
  token: string
  /** Null if the express button made it. */
  session: string | null
  basket: Basket
  expires_at: string
  /** The key of the request that placed its order. */
  used_by: string | null
  cancelled: boolean
}

/** An order. Its operations are in the books, under these keys. */
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

const stores: { readonly [Kind in keyof Documents]: DocumentStore<Documents[Kind]> } = {
  session: documentStore('bnpl/session'),
  page: documentStore('bnpl/page'),
  token: documentStore('bnpl/token'),
  order: documentStore('bnpl/order'),
  client: documentStore('bnpl/client'),
}

export function storeDocument<Kind extends keyof Documents>(
  sandbox: Sandbox,
  kind: Kind,
  id: string,
  document: Documents[Kind],
): void {
  stores[kind].store(sandbox, id, document)
}

/** A document of this payment service; undefined if it belongs to another. */
export function findDocument<Kind extends keyof Documents>(
  sandbox: Sandbox,
  service: string,
  kind: Kind,
  id: string,
): Documents[Kind] | undefined {
  const document = stores[kind].find(sandbox, id)
  return document?.service === service ? document : undefined
}

/** The time `milliseconds` from now, as documents store it. */
export const timeFromNow = ({ clock }: Sandbox, milliseconds: number): string =>
  new Date(clock.now() + milliseconds).toISOString()

export const hasExpired = ({ clock }: Sandbox, { expires_at }: { expires_at: string }): boolean =>
  clock.now() >= Date.parse(expires_at)
