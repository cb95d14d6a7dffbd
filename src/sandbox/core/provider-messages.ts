import type { IncomingHttpHeaders } from 'node:http'
import type { FaultOperation } from '../faults/fault.schema.ts'

/** A request, read whole. */
export interface Incoming {
  method: string
  /** The path's segments, without the query. */
  path: string[]
  query: URLSearchParams
  headers: IncomingHttpHeaders
  /** Parsed JSON, or the fields of a form; an absent body is `{}`. */
  body: unknown
}

/** What goes back. `body` is JSON text, unless a content type says otherwise. */
export interface Answer {
  status: number
  body: string
  headers?: Record<string, string>
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
  /** The first digits of the card that it concerns; absent or null: none, or they are not known. */
  bin?: string | null
  process(): Answer | Promise<Answer>
}

export type BuyerDecision = 'approve' | 'reject'

/** `unknown`: there is no such order. `refused`: its page would not let them. */
export type BuyerDecisionResult = 'decided' | 'unknown' | 'refused'

/** A notification as it is posted; `body` is JSON text. */
export interface NotificationMessage {
  headers?: Record<string, string>
  body: string
}

export const json = (status: number, body: unknown): Answer => ({ status, body: JSON.stringify(body) })

/** An error in the providers' form. */
export const problem = (status: number, code: string, message: string): Answer => json(status, { code, message })

export const badRequest = (message: string): Answer => problem(400, 'invalid_request', message)

export const notFound = problem(404, 'not_found', 'there is no such resource')
