import type { Generated } from 'kysely'
import type { Json } from '../json.ts'

export type ReportSchedule = 'once' | 'daily' | 'weekly' | 'monthly'
type ReportModelName =
  | 'transactions'
  | 'transaction_retries'
  | 'detailed_settlement'
  | 'accounts_receivables'
  | 'ai_insights'
export type ReportExecutionStatus = 'pending' | 'dispatched' | 'processing' | 'succeeded' | 'failed'

/** The creator of a report; null: unknown. */
export interface ReportCreator {
  creator_id: string | null
  creator_display_name: string | null
  creator_type: 'user' | 'private_key' | null
}

export interface ReportTable extends ReportCreator {
  merchant_account_id: string
  id: string
  name: string
  description: string | null
  schedule: ReportSchedule
  schedule_enabled: boolean
  /** An IANA time zone. */
  schedule_timezone: string
  spec: Json<{ model: ReportModelName; params: Record<string, unknown> }>
  /** Null: `once`. */
  next_execution_at: string | null
  created_at: string
  updated_at: string
}

export interface ReportExecutionTable {
  merchant_account_id: string
  id: string
  report_id: string
  status: ReportExecutionStatus
  reference_timestamp: string
  reference_timezone: string
  attempts: Generated<number>
  /** When a worker may make it; null: the execution is final. */
  due_at: string | null
  lease: string | null
  file_chunks: number | null
  /** Bytes before compression. */
  file_bytes: number | null
  erased_at: string | null
  created_at: string
  updated_at: string
}

export interface ReportChunkTable {
  merchant_account_id: string
  report_execution_id: string
  /** From 0. */
  number: number
  content: Buffer
}
