import type { Answer } from '../../core/provider-messages.ts'
import type { ProviderRequest } from '../../core/provider-request.ts'

/** A request under an idempotency key, which is a UUID. */
export interface KeyedRequest extends ProviderRequest {
  key: string
}

export const noContent: Answer = { status: 204, body: '' }
