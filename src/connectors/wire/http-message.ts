/** A part of a `multipart/form-data` body (RFC 7578). `file`: its name and its media type. */
export interface Part {
  name: string
  content: string | Buffer
  file?: { name: string; type: string }
}

export interface HttpRequest {
  method: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE'
  url: string
  headers?: Record<string, string>
  /** Sent as JSON; `form` as `application/x-www-form-urlencoded`. */
  body?: unknown
  form?: Record<string, string>
  /** Sent as `multipart/form-data`; its parts are not kept with the exchange. */
  parts?: readonly Part[]
  /** The answer is no JSON: its body is `{ text }`. */
  text?: boolean
  /** The answer is a JSON list: its body is `{ list }`. An object, such as a refusal, stays as it is. */
  list?: boolean
  /**
   * The answer has what is not of this call, such as other payments: its body is not kept with the exchange.
   */
  record?: 'metadata only'
}

/**
 * `lost`: no answer that can be read. `sent` tells whether the request may have reached the other side; a
 * refused connection has not. An answer without content has the body `{}`. Header names are in lower case.
 */
export type HttpAnswer =
  | { lost: false; status: number; headers: Readonly<Record<string, string>>; body: Record<string, unknown> }
  | { lost: true; sent: boolean; reason: string }

/** The body of an answer from its JSON; undefined: the request does not expect such a value. */
export function toBody(value: unknown, { list }: HttpRequest): Record<string, unknown> | undefined {
  if (Array.isArray(value)) return list ? { list: value } : undefined
  return isObject(value) ? value : undefined
}

const isObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null

/** For an answer whose JSON the request does not expect. */
export const unreadable: HttpAnswer = { lost: true, sent: true, reason: 'the answer is not a JSON object' }
