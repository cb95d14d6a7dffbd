import type { Static } from 'typebox'
import { Words } from '../api/schema.ts'

export const AntiFraudDecision = Words(
  'accept',
  'error',
  'exception',
  'reject',
  'review',
  'skipped',
  'pending',
)
export type AntiFraudDecision = Static<typeof AntiFraudDecision>

/** An anti-fraud service as a payment shows it. */
export interface ScreeningService {
  id: string
  name: string
  definition_id: string
}

/**
 * An anti-fraud service's check of a payment (semantics §6.3). `decision` of a review that is decided: the
 * decision of the person. `exception`: the service could not be called. `skipped`: the payment had no data to
 * check, or the service did not answer.
 */
export interface Screening {
  service: ScreeningService
  decision: AntiFraudDecision
  /** The service's own id of its check; null: it sent none. */
  check_id: string | null
}
