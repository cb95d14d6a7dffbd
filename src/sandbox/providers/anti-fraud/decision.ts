/** The simulated anti-fraud service's decision on a payment. */
export type Decision = 'accept' | 'reject' | 'review' | 'error' | 'skipped'

const decisions: readonly Decision[] = ['accept', 'reject', 'review', 'error']

/** The part of the buyer's e-mail address before the `@` decides; any other is accepted (semantics §6.3). */
export function decideByEmail(email: string | null): Decision | 'timeout' | 'unavailable' {
  if (email === null || email === '') return 'skipped'
  const local = email.slice(0, Math.max(email.indexOf('@'), 0)).toLowerCase()
  if (local === 'timeout' || local === 'unavailable') return local
  return decisions.find((decision) => decision === local) ?? 'accept'
}
