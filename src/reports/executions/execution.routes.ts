import { Type } from 'typebox'
import { badRequest, notFound, orNotFound } from '../../api/errors.ts'
import { merchantAccountHeader as headers } from '../../api/headers.ts'
import { answerPage } from '../../api/pagination.ts'
import type { Routes } from '../../api/routes.ts'
import { Nullable, Parameter, pageQuery, Timestamp, Uuid } from '../../api/schema.ts'
import { readFromReplica } from '../../database/replicas/read-from-replica.ts'
import { newestFirstPosition } from '../../database/rows/newest-first.ts'
import { timestamp } from '../../database/timestamp.ts'
import { showExecution } from '../report.representation.ts'
import { refusePersonalData } from '../report.routes.ts'
import {
  ReportExecution,
  ReportExecutionStatus,
  ReportExecutions,
  ReportExecutionUrl,
  ReportExecutionUrlGenerate,
} from '../report.schema.ts'
import { findReport } from '../report.store.ts'
import { findExecution, listExecutions } from './execution.store.ts'
import { fileUrl } from './file-url.ts'

const tags = ['Reports - Executions']
const config = { scopes: ['reports.read'] }
const ReportParams = Type.Object({ report_id: Uuid })
const ExecutionParams = Type.Object({ report_execution_id: Uuid })

const DEFAULT_MINUTES = 5

export const reportExecutionRoutes: Routes = (app, world) => {
  app.get(
    '/reports/:report_id/executions',
    {
      config,
      schema: {
        operationId: 'list_report_executions',
        summary: 'List executions of a report',
        description: 'The executions of a report, the newest first.',
        tags,
        headers,
        params: ReportParams,
        querystring: Type.Object(pageQuery()),
        response: { 200: ReportExecutions },
      },
    },
    async ({ params: { report_id: reportId }, query, account }) => {
      const list = JSON.stringify(['report-executions', account, reportId])
      return answerPage(world.cipher, list, query, {
        read: (page) =>
          readFromReplica(world, async (replica) => {
            if (!(await findReport(replica, account, reportId))) throw notFound()
            return listExecutions(replica, account, { reportId }, page)
          }),
        positionOf: newestFirstPosition,
        show: showExecution,
      })
    },
  )

  app.get(
    '/report-executions',
    {
      config,
      schema: {
        operationId: 'list_all_report_executions',
        summary: 'List executions',
        description: 'The executions of all reports of the account, the newest first.',
        tags,
        headers,
        querystring: Type.Object({
          ...pageQuery(),
          report_name: Parameter(Type.String(), 'A part of the report’s name'),
          created_at_lte: Parameter(Timestamp, 'Created then or before'),
          created_at_gte: Parameter(Timestamp, 'Created then or after'),
          status: Parameter(Type.Array(ReportExecutionStatus), 'Any of these statuses'),
          creator_id: Parameter(Type.Array(Uuid), 'Of reports that any of these users or API keys created'),
        }),
        response: { 200: ReportExecutions },
      },
    },
    async ({ query, account }) => {
      const { cursor: _, limit: __, ...filters } = query
      const list = JSON.stringify(['report-executions', account, filters])
      const {
        report_name = null,
        created_at_gte = null,
        created_at_lte = null,
        status = null,
        creator_id = null,
      } = filters
      const filter = {
        reportName: report_name,
        createdFrom: created_at_gte,
        createdTo: created_at_lte,
        status,
        creators: creator_id,
      }
      return answerPage(world.cipher, list, query, {
        read: (page) => readFromReplica(world, (replica) => listExecutions(replica, account, filter, page)),
        positionOf: newestFirstPosition,
        show: showExecution,
      })
    },
  )

  app.get(
    '/report-executions/:report_execution_id',
    {
      config,
      schema: {
        operationId: 'get_report_execution',
        summary: 'Get an execution',
        description: 'One execution of a report by its id.',
        tags,
        headers,
        params: ExecutionParams,
        response: { 200: ReportExecution },
      },
    },
    async ({ params, account }) =>
      showExecution(orNotFound(await findExecution(world.db, account, params.report_execution_id))),
  )

  app.post(
    '/reports/:report_id/executions/:report_execution_id/url',
    {
      config,
      schema: {
        operationId: 'create_report_execution_url',
        summary: 'Get a link to the file of an execution',
        description:
          'A link to the file. Everyone who has the link can read the file until it expires. An execution that has not succeeded, or whose file was erased, is a 400.',
        tags,
        headers,
        params: Type.Object({ report_id: Uuid, report_execution_id: Uuid }),
        body: Type.Optional(Nullable(ReportExecutionUrlGenerate)),
        response: { 200: ReportExecutionUrl },
      },
    },
    async ({ params, body, account, caller }) => {
      const report = await findReport(world, account, params.report_id)
      const execution = report && (await findExecution(world.db, account, params.report_execution_id))
      if (execution?.report_id !== params.report_id) throw notFound()
      if (report) refusePersonalData(caller, report.spec)
      if (execution.status !== 'succeeded')
        throw badRequest(`There is no file: the execution is ${execution.status}`)
      if (execution.erased_at !== null)
        throw badRequest(`The file was erased; files are kept for ${world.settings.reportRetention} days`)
      const expires = Math.ceil(world.clock.now() / 1_000) + (body?.expires_in ?? DEFAULT_MINUTES) * 60
      const url = fileUrl(world, { account, execution: execution.id, expires })
      return { url, expires_at: timestamp(new Date(expires * 1_000).toISOString()) }
    },
  )
}
