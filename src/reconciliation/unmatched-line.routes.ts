import { Type } from 'typebox'
import { merchantAccountHeader as headers } from '../api/headers.ts'
import { answerPage } from '../api/pagination.ts'
import type { Routes } from '../api/routes.ts'
import { pageQuery } from '../api/schema.ts'
import { readFromReplica } from '../database/replicas/read-from-replica.ts'
import { newestFirstPosition } from '../database/rows/newest-first.ts'
import { timestamp } from '../database/timestamp.ts'
import { type UnmatchedReportLine, UnmatchedReportLines } from './unmatched-line.schema.ts'
import { listUnmatched, type UnmatchedRow } from './unmatched-line.store.ts'

const show = (row: UnmatchedRow): UnmatchedReportLine => ({
  type: 'unmatched-report-line',
  id: row.id,
  merchant_account_id: row.merchant_account_id,
  payment_service_id: row.payment_service_id,
  payment_service_report_id: row.report_id,
  payment_service_report_file_id: row.file_id,
  line: row.line,
  reason: row.reason,
  text: row.text,
  created_at: timestamp(row.created_at),
  tried_at: timestamp(row.tried_at),
})

export const unmatchedLineRoutes: Routes = (app, world) => {
  app.get(
    '/reconciliation/unmatched-lines',
    {
      config: { scopes: ['reports.read'] },
      schema: {
        operationId: 'list_unmatched_report_lines',
        summary: 'List unmatched report lines',
        description:
          'Lines of settlement reports that match no operation of Railyard, or match one with other values, the newest first.',
        tags: ['Reconciliation'],
        headers,
        querystring: Type.Object(pageQuery()),
        response: { 200: UnmatchedReportLines },
      },
    },
    async ({ query, account }) => {
      const list = ['unmatched-report-lines', account].join('\n')
      return answerPage(world.cipher, list, query, {
        read: (page) => readFromReplica(world, (replica) => listUnmatched(replica, account, page)),
        positionOf: newestFirstPosition,
        show,
      })
    },
  )
}
