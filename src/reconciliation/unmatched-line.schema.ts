import { type Static, Type } from 'typebox'
import { Closed, Described, Page, Personal, Timestamp, Uuid, Words } from '../api/schema.ts'

export const UnmatchedReportLine = Closed('UnmatchedReportLine', {
  type: Type.Literal('unmatched-report-line'),
  id: Uuid,
  merchant_account_id: Type.String(),
  payment_service_id: Uuid,
  payment_service_report_id: Uuid,
  payment_service_report_file_id: Uuid,
  line: Described(Type.Integer({ minimum: 1 }), 'The number of the line in the file'),
  reason: Words(
    'unknown_transaction',
    'unknown_refund',
    'unknown_chargeback',
    'other_currency',
    'amount_exceeds',
    'settled_already',
    'amounts_disagree',
    'duplicate',
    'changed',
    'malformed',
  ),
  text: Personal(Described(Type.String(), 'The line, shortened, without card numbers')),
  created_at: Timestamp,
  tried_at: Described(Timestamp, 'When Railyard last tried to match it'),
})
export type UnmatchedReportLine = Static<typeof UnmatchedReportLine>

export const UnmatchedReportLines = Page('UnmatchedReportLines', UnmatchedReportLine)
