import type { Outcome } from '../contract/outcome.ts'

/**
 * The outcome of an increment by 0, which the API allows (API §4.1). Nothing is sent: some providers refuse it,
 * and others extend the authorization, which the client has not asked for.
 */
export const nothingAdded: Outcome = { status: 'approved', amount: 0, facts: {}, references: {} }
