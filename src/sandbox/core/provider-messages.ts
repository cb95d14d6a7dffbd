import type { IncomingHttpHeaders } from 'node:http'
import type { FaultOperation } from '../faults/fault.schema.ts'

/** A request, read whole. */
export interface Incoming {
  method: string
  /** The path's segments, without the query. */
  path: string[]
  query: URLSearchParams
  headers: IncomingHttpHeaders
  /**
   * Parsed JSON, or the fields of a form; an absent body is `{}`. A multipart form is `{ multipart }`, its bytes
   * as Latin-1.
   */
  body: unknown
}

/** The response. `body` is JSON text, unless a content type says otherwise. */
export interface Answer {
  status: number
  body: string
  headers?: Record<string, string>
  /** The key of the operation with this result; absent on any other answer. */
  key?: string
  /** Called when the answer was sent to a caller that was still connected. */
  delivered?: () => void
}

/**
 * A request that a provider has recognized and not processed yet: a fault may occur before, between or after.
 */
export interface Call {
  payment_service_id: string
  operation: Exclude<FaultOperation, '*'>
  /** The caller's idempotency key of the operation that it is about; null: none. */
  key: string | null
  /** The BIN of the card; absent or null: no card, or an unknown one. */
  bin?: string | null
  process(): Answer | Promise<Answer>
}

export type BuyerDecision = 'approve' | 'reject'

/** `unknown`: there is no such order. `refused`: its page would not allow it. */
export type BuyerDecisionResult = 'decided' | 'unknown' | 'refused'

/** A notification to post; `body` is JSON text. */
export interface NotificationMessage {
  headers?: Record<string, string>
  body: string
}

export const json = (status: number, body: unknown): Answer => ({ status, body: JSON.stringify(body) })

/** An error in the providers' form. */
export const problem = (status: number, code: string, message: string): Answer =>
  json(status, { code, message })

export const badRequest = (message: string): Answer => problem(400, 'invalid_request', message)

export const notFound = problem(404, 'not_found', 'there is no such resource')
