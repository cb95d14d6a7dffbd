import { type Assistant, assistant } from './assistant.ts'

/** What the generator sends, in a closed loop: each connection sends its next request when the last one is answered. */
export interface Load {
  url: string
  method: 'GET' | 'POST'
  /** Sent in turn, which only `GET /transactions/{id}` needs. */
  paths: string[]
  headers: Record<string, string>
  body?: string
  /** Sent in turn. */
  bodies?: string[]
  /** Merchant accounts on whose behalf it asks, in turn, beside the bodies. */
  accounts?: string[]
  connections: number
  /** For so long, or so many requests. */
  until: { seconds: number } | { requests: number }
  /** A bearer token for each request, none used twice: the load ends with them. */
  tokens?: string[]
  /** A fresh `idempotency-key` for each request. */
  keyed?: boolean
}

export interface Loaded {
  /** Answered with 2xx. */
  requests: number
  /** Everything else: other statuses, broken connections, time-outs. */
  errors: number
  seconds: number
  /** Milliseconds. */
  p50: number
  p99: number
}

export type Generator = Assistant<Load, Loaded>

/** autocannon in a process of its own. */
export const startGenerator = (): Generator => assistant(new URL('./load.process.ts', import.meta.url))
