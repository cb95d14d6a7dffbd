import type { Generated } from 'kysely'

export interface WalHistoryTable {
  number: Generated<number>
  system_identifier: number
  timeline: number
  mark: Generated<string>
  created_at: Generated<string>
}
