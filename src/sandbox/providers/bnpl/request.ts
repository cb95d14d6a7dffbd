import type { Answer, Incoming } from '../../core/provider-messages.ts'
import type { Sandbox } from '../../sandbox.ts'

/** A request to the provider, as its parts see it. */
export interface Request {
  sandbox: Sandbox
  service: string
  incoming: Incoming
}

/** A request under an idempotency key, which is a UUID. */
export interface KeyedRequest extends Request {
  key: string
}

export const noContent: Answer = { status: 204, body: '' }
