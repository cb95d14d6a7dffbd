import { type Static, Type } from 'typebox'
import { Closed, Described, Timestamp, Uuid } from '../../api/schema.ts'

export const AccountUpdaterInquirySummary = Closed('AccountUpdaterInquirySummary', {
  type: Type.Literal('account-updater-inquiry'),
  id: Uuid,
  payment_method_id: Uuid,
})

export const AccountUpdaterJob = Closed('AccountUpdaterJob', {
  type: Type.Literal('account-updater-job'),
  id: Uuid,
  merchant_account_id: Type.String(),
  inquiries: Described(Type.Array(AccountUpdaterInquirySummary), 'The cards that are asked about'),
  created_at: Timestamp,
  updated_at: Timestamp,
})
export type AccountUpdaterJob = Static<typeof AccountUpdaterJob>

export const AccountUpdaterJobCreate = Closed('AccountUpdaterJobCreate', {
  payment_method_ids: Type.Array(Uuid, { minItems: 1, maxItems: 100 }),
})
