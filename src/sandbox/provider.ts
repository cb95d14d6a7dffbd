import type { IncomingHttpHeaders } from 'node:http'
import type { FaultOperation } from './fault.schema.ts'
import type { Sandbox } from './sandbox.ts'

/** A request, read whole. */
export interface Incoming {
  method: string
  /** The path's segments, without the query. */
  path: string[]
  headers: IncomingHttpHeaders
  /** Parsed JSON; an absent body is `{}`. */
  body: unknown
}

/** What goes back. `body` is JSON text. */
export interface Answer {
  status: number
  body: string
  /** The key of the operation whose result this is; absent on anything else. */
  key?: string
  /** Called once the answer went to a caller who was still there. */
  delivered?: () => void
}

/** A request that a provider understood, not yet processed: a fault may come before, between or after. */
export interface Call {
  payment_service_id: string
  operation: Exclude<FaultOperation, '*'>
  /** The operation it is about, by the caller's idempotency key. */
  key: string | null
  process(): Answer
}

/** Recognizes a provider's requests; null: no such resource. */
export type Provider = (sandbox: Sandbox, incoming: Incoming) => Call | null

export const json = (status: number, body: unknown): Answer => ({ status, body: JSON.stringify(body) })

/** An error in the providers' form. */
export const problem = (status: number, code: string, message: string): Answer => json(status, { code, message })

export const badRequest = (message: string): Answer => problem(400, 'invalid_request', message)

export const notFound = problem(404, 'not_found', 'there is no such resource')
