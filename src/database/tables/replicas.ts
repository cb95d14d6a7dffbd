import type { Generated } from 'kysely'

export interface WalHistoryTable {
  number: Generated<number>
  system_identifier: number
  timeline: number
  mark: Generated<string>
  /** When the primary was started; null: by a version that did not say. */
  primary_started_at: string | null
  created_at: Generated<string>
}
