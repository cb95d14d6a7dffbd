export interface PageIncidentTable {
  merchant_account_id: string
  id: string
  page: string
  kind: string
  /** An origin, a keyword of the policy, or what the check found changed. */
  subject: string
  reports: number
  last_reported_at: string
  notes: string | null
  /** Null: it is open. */
  closed_at: string | null
  created_at: string
  updated_at: string
}
