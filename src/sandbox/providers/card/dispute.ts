import { hash } from 'node:crypto'
import { documentStore } from '../../core/documents.ts'
import { idempotentCall } from '../../core/merchant-call.ts'
import { type Call, json, problem } from '../../core/provider-messages.ts'
import type { ProviderRequest } from '../../core/provider-request.ts'

const answersOf = (service: string) => documentStore<string>(`dispute-answer/${service}`)

/**
 * Takes evidence for a dispute, or its acceptance: once for each idempotency key. What becomes of the dispute
 * is the tester's to say (`simulate/dispute.ts`).
 */
export function disputeCall(request: ProviderRequest, dispute: string, action: string): Call | null {
  if (action !== 'evidence' && action !== 'acceptance') return null
  const { sandbox, incoming, service } = request
  return idempotentCall(request, 'dispute', (key) => {
    const content = hash('sha256', JSON.stringify([dispute, action, incoming.body]))
    const earlier = answersOf(service).find(sandbox, key)
    if (earlier !== undefined && earlier !== content)
      return problem(409, 'idempotency_conflict', 'the key was used for another request')
    answersOf(service).store(sandbox, key, content)
    return json(200, { key, dispute })
  })
}
