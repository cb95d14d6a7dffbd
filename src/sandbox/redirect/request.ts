import type { Incoming } from '../provider.ts'
import type { Sandbox } from '../sandbox.ts'

/** A request to the provider, as its parts see it. */
export interface Request {
  sandbox: Sandbox
  service: string
  incoming: Incoming
}
