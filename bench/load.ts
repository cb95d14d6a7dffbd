import { type Assistant, assistant } from './assistant.ts'

/** A closed loop: each connection sends its next request when the last one is answered. */
export interface Load {
  url: string
  method: 'GET' | 'POST'
  /** Sent in turn; only `GET /transactions/{id}` needs several. */
  paths: string[]
  headers: Record<string, string>
  body?: string
  /** Sent in turn. */
  bodies?: string[]
  /** The merchant accounts of the requests, in turn, beside the bodies. */
  accounts?: string[]
  connections: number
  /** The duration, or the number of requests. */
  until: { seconds: number } | { requests: number }
  /** A bearer token for each request, used once: the load ends with them. */
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

/** Runs autocannon in a new process. */
export const startGenerator = (): Generator => assistant(new URL('./load.process.ts', import.meta.url))
