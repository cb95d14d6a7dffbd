import type { Json } from '../json.ts'

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
  kept_by: Json<KeptBy[]> | null
  retired_at: string | null
  counts: Json<object> | null
  hash: Buffer | null
}

export interface RetiredLinkTable {
  merchant_account_id: string
  number: number
  retirement: number
  entries: number
  hash: Buffer
}

/** A Parquet file with rows of retired payments. */
export interface ArchivedFileTable {
  retirement: number
  kind: 'transactions' | 'operations' | 'settlements'
  /** The name in the folder of `ARCHIVE_DIR`. */
  name: string
  rows: number
  bytes: number
  sha256: Buffer
  /** The lowest and the highest of all times in the file; null: it has none. */
  earliest: string | null
  latest: string | null
}
