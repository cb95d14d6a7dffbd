import { parse } from 'csv-parse/sync'
import { expect } from 'vitest'
import { runInEachAccountTime } from '../../../src/accounts/merchant-accounts/account-clock.store.ts'
import { makeReports } from '../../../src/reports/executions/make-reports.ts'
import type { Answer, Client, TestRailyard } from '../railyard.ts'
import { startRailyardForFile } from '../start-railyard.ts'

type Line = Record<string, string>

/**
 * Starts an instance for all tests of a file that makes reports only when the test calls `reports.runOnce`.
 */
export async function startWithoutReportRounds(env: Record<string, string> = {}): Promise<TestRailyard> {
  const railyard = await startRailyardForFile(env)
  await railyard.reports.stop()
  return {
    ...railyard,
    reports: {
      ...railyard.reports,
      runOnce: () =>
        runInEachAccountTime(railyard.world, (stopped) => makeReports(railyard.world, stopped))(() => false),
    },
  }
}

/** The body of a report of all transactions; `more` overrides its members. */
export const transactionsReport = (
  more: Record<string, unknown> = {},
  params: Record<string, unknown> = {},
) => ({
  name: 'Sales',
  schedule: 'once',
  schedule_enabled: false,
  spec: { model: 'transactions', params: { fields: ['id', 'status', 'amount'], ...params } },
  ...more,
})

/** Creates a report and makes it at once. Answers its execution. */
export async function execute(
  railyard: TestRailyard,
  merchant: Pick<Client, 'get' | 'post'>,
  body: unknown,
): Promise<Answer['body']> {
  const created = await merchant.post('/reports', body)
  expect(created).toMatchObject({ status: 201 })
  await railyard.reports.runOnce()
  return newestExecution(merchant, created.body.id)
}

export async function newestExecution(
  merchant: Pick<Client, 'get'>,
  report: string,
): Promise<Answer['body']> {
  return (await merchant.get(`/reports/${report}/executions`)).body.items[0]
}

/** Requests a link to the file of an execution. */
export async function linkTo(
  merchant: Pick<Client, 'post'>,
  execution: Answer['body'],
  body?: unknown,
): Promise<Answer> {
  return merchant.post(`/reports/${execution.report.id}/executions/${execution.id}/url`, body)
}

/** Downloads the file of an execution by its link. */
export async function download(merchant: Pick<Client, 'post'>, execution: Answer['body']): Promise<string> {
  const link = await linkTo(merchant, execution)
  expect(link).toMatchObject({ status: 200 })
  const answer = await fetch(link.body.url)
  expect(answer.status).toBe(200)
  return answer.text()
}

export const readCsv = (text: string): Line[] => parse<Line>(text, { columns: true })

/** The lines of a report with this spec. */
export async function linesOf(
  railyard: TestRailyard,
  merchant: Client,
  spec: { model: string; params: unknown },
  more = {},
): Promise<Line[]> {
  const execution = await execute(railyard, merchant, { ...transactionsReport(), spec, ...more })
  expect(execution.status).toBe('succeeded')
  return readCsv(await download(merchant, execution))
}
