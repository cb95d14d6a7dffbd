import type { JSONColumnType } from 'kysely'

/** What keeps payments from being retired, with the number of such rows, counted to a limit, and one of them. */
export interface KeptBy {
  reason: string
  rows: number
  example: string
}

export interface RetirementTable {
  number: number
  below: string
  actor: string
  started_at: string
  kept_by: JSONColumnType<KeptBy[]> | null
  retired_at: string | null
  counts: JSONColumnType<object> | null
  hash: Buffer | null
}

export interface RetiredLinkTable {
  merchant_account_id: string
  number: number
  retirement: number
  entries: number
  hash: Buffer
}
