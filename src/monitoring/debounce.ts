import type { DebouncingPolicy } from '../database/tables/monitoring.ts'

/** The state of a metric after its samples so far. */
export interface DebounceState {
  /** Whether an incident is open. */
  open: boolean
  /**
   * Samples in a row towards a change: unhealthy ones while no incident is open, healthy ones while one is
   * open.
   */
  streak: number
}

/**
 * The streak of a new metric, and of one whose policy has changed: samples under different policies are not
 * counted together.
 */
export const freshStreak: Pick<DebounceState, 'streak'> = { streak: 0 }

export interface DebounceStep extends DebounceState {
  /** What this sample does to the incident; null: nothing. */
  change: 'opened' | 'closed' | null
}

/**
 * The state after one more sample. An incident opens with the n-th unhealthy sample in a row, and closes with
 * the n-th healthy one (semantics §16.8). A sample without a verdict (null) neither counts nor breaks a row,
 * since an hour without payments says nothing about the incident; the same is true of minutes without a
 * sample. A policy of null: the metric has no incidents.
 */
export function afterSample(
  { open, streak }: DebounceState,
  healthy: boolean | null,
  policy: DebouncingPolicy | null,
): DebounceStep {
  if (healthy === null || policy === null) return { open, streak, change: null }
  const { create_after_n, close_after_n } = policy.params
  const newStreak = healthy === open ? streak + 1 : 0
  if (newStreak < (open ? close_after_n : create_after_n)) return { open, streak: newStreak, change: null }
  return open
    ? { open: false, ...freshStreak, change: 'closed' }
    : { open: true, ...freshStreak, change: 'opened' }
}
