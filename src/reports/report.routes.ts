import { Type } from 'typebox'
import type { Actor, Caller } from '../api/auth/caller.ts'
import { forbidden, invalid, orNotFound } from '../api/errors.ts'
import { merchantAccountHeader as headers } from '../api/headers.ts'
import { answerPage } from '../api/pagination.ts'
import type { Routes } from '../api/routes.ts'
import { Parameter, pageQuery, Uuid } from '../api/schema.ts'
import { canSeePersonalData } from '../api/visibility/personal-data.ts'
import { newestFirstPosition } from '../database/rows/newest-first.ts'
import type { ReportCreator } from '../database/tables/reports.ts'
import { showReport } from './report.representation.ts'
import {
  Report,
  ReportCreate,
  ReportSchedule,
  type ReportSpec,
  Reports,
  ReportUpdate,
} from './report.schema.ts'
import { findReport, insertReport, listReports, updateReport } from './report.store.ts'
import { DEFAULT_TIME_ZONE, isPersonal, reportProblems, specOf } from './report.ts'

const tags = ['Reports']
const params = Type.Object({ report_id: Uuid })
const read = { scopes: ['reports.read'] }
const write = { scopes: ['reports.write'] }

export const reportRoutes: Routes = (app, world) => {
  app.get(
    '/reports',
    {
      config: read,
      schema: {
        operationId: 'list_reports',
        summary: 'List reports',
        description: 'The reports of the account with the newest execution of each, the newest first.',
        tags,
        headers,
        querystring: Type.Object({
          ...pageQuery(),
          schedule: Parameter(Type.Array(ReportSchedule), 'Any of these schedules'),
          schedule_enabled: Parameter(Type.Boolean(), 'Whether reports are made by the schedule'),
          name: Parameter(Type.String(), 'A part of the name'),
        }),
        response: { 200: Reports },
      },
    },
    async ({ query, account }) => {
      const { schedule = null, schedule_enabled: enabled = null, name = null } = query
      const list = JSON.stringify(['reports', account, schedule, enabled, name])
      return answerPage(world.cipher, list, query, {
        read: (page) => listReports(world, account, { schedule, enabled, name }, page),
        positionOf: newestFirstPosition,
        show: showReport,
      })
    },
  )

  app.post(
    '/reports',
    {
      config: write,
      schema: {
        operationId: 'add_report',
        summary: 'Create a report',
        description:
          'Creates a report, which makes a CSV file once or after each day, week or month. The members of `spec.params` depend on the model.',
        tags,
        headers,
        body: ReportCreate,
        response: { 201: Report },
      },
    },
    async ({ body, account, caller }, reply) => {
      const problems = reportProblems(body)
      if (Object.keys(problems).length > 0) throw invalid(problems)
      const spec = specOf(body.spec)
      refusePersonalData(caller, spec)
      const { description = null, schedule_timezone = DEFAULT_TIME_ZONE } = body
      const report = await insertReport(world, {
        account,
        ...body,
        description,
        schedule_timezone,
        spec,
        ...creatorOf(caller.actor),
      })
      return reply.code(201).send(showReport(report))
    },
  )

  app.get(
    '/reports/:report_id',
    {
      config: read,
      schema: {
        operationId: 'get_report',
        summary: 'Get a report',
        description: 'One report by its id, with its newest execution.',
        tags,
        headers,
        params,
        response: { 200: Report },
      },
    },
    async ({ params, account }) => showReport(orNotFound(await findReport(world, account, params.report_id))),
  )

  app.put(
    '/reports/:report_id',
    {
      config: write,
      schema: {
        operationId: 'update_report',
        summary: 'Update a report',
        description:
          'Renames a report, or suspends or resumes its schedule. Executions that fell into a pause are not made later.',
        tags,
        headers,
        params,
        body: ReportUpdate,
        response: { 200: Report },
      },
    },
    async ({ params, body, account }) =>
      showReport(orNotFound(await updateReport(world, account, params.report_id, body))),
  )
}

/** Throws 403 if the report has billing details of buyers and the caller may not see them. */
export function refusePersonalData(caller: Caller, spec: ReportSpec): void {
  if (isPersonal(spec) && !canSeePersonalData(caller))
    throw forbidden(
      'The report has billing details of buyers, which need the scope buyers.billing-details.read',
    )
}

const creatorOf = ({ type, id, name }: Actor): ReportCreator => ({
  creator_id: id,
  creator_display_name: name,
  creator_type: type === 'user' ? 'user' : 'private_key',
})
