import type { Static } from 'typebox'
import { Words } from '../api/schema.ts'

export const AntiFraudDecision = Words('accept', 'error', 'exception', 'reject', 'review', 'skipped', 'pending')
export type AntiFraudDecision = Static<typeof AntiFraudDecision>

/** An anti-fraud service as a payment names it. */
export interface ScreeningService {
  id: string
  name: string
  definition_id: string
}

/**
 * What an anti-fraud service said of a payment. `decision`: what a person decided of a `review`, once they have. `exception`: the service could not be
 * asked, `skipped`: it had nothing to go by or was away (SEMANTICS §6.3).
 */
export interface Screening {
  service: ScreeningService
  decision: AntiFraudDecision
  /** The service's own id of its check; null: it gave none. */
  check_id: string | null
}
