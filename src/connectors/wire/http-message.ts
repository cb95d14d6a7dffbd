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
}

/**
 * `lost`: no answer that can be read. `sent` tells whether the request may have reached the other side; a
 * refused connection has not. An answer without content has the body `{}`. Header names are in lower case.
 */
export type HttpAnswer =
  | { lost: false; status: number; headers: Readonly<Record<string, string>>; body: Record<string, unknown> }
  | { lost: true; sent: boolean; reason: string }
