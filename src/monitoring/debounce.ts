import type { DebouncingPolicy } from '../database/tables/monitoring.ts'

/** What has been seen of a metric so far. */
export interface DebounceState {
  /** Whether an incident is open. */
  open: boolean
  /** Samples in a row that speak against that: unhealthy ones while none is open, healthy ones while one is. */
  streak: number
}

/** Where a metric begins, and where it begins anew when a policy of it is changed: samples that were judged by different rules are not counted together. */
export const freshStreak: Pick<DebounceState, 'streak'> = { streak: 0 }

export interface DebounceStep extends DebounceState {
  /** What became of the incident with this sample; null: it is as it was. */
  change: 'opened' | 'closed' | null
}

/**
 * One sample further. Opened with the n-th unhealthy sample in a row, closed with the n-th healthy one (SEMANTICS §16.8). A sample without a verdict neither counts nor
 * breaks a row: in a quiet hour nothing is learned, of the incident neither. So it is with minutes in which no sample was taken. Null: nobody wants incidents.
 */
export function afterSample({ open, streak }: DebounceState, healthy: boolean | null, policy: DebouncingPolicy | null): DebounceStep {
  if (healthy === null || policy === null) return { open, streak, change: null }
  const { create_after_n, close_after_n } = policy.params
  const row = healthy === open ? streak + 1 : 0
  if (row < (open ? close_after_n : create_after_n)) return { open, streak: row, change: null }
  return open ? { open: false, ...freshStreak, change: 'closed' } : { open: true, ...freshStreak, change: 'opened' }
}
