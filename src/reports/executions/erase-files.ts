import { type Kysely, sql } from 'kysely'
import { timeOf } from '../../base/clock.ts'
import type { Tables } from '../../database/tables.ts'
import type { World } from '../../world.ts'
import type { ReportSpec } from '../report.schema.ts'
import { canIdentifyPeople } from '../report.ts'

interface StoredExecution {
  id: string
  status: string
  spec: ReportSpec
}

/**
 * Erases the report files of an account that may contain personal data. An execution that is under way starts
 * again, since it may have read data that is erased now. All such files go, since only reading a file would
 * tell which buyers are in it; a report can be made again.
 */
export async function eraseFilesAboutPeople(
  db: Kysely<Tables>,
  { clock }: Pick<World, 'clock'>,
  account: string,
): Promise<void> {
  const { rows } = await sql<StoredExecution>`
    select e.id, e.status, r.spec
      from report_executions e
      join reports r on r.merchant_account_id = e.merchant_account_id and r.id = e.report_id
     where e.merchant_account_id = ${account}
       and ((e.status = 'succeeded' and e.erased_at is null)
            or e.status in ('dispatched', 'processing'))
       for update of e`.execute(db)
  const personal = rows.filter(({ spec }) => canIdentifyPeople(spec))
  if (personal.length === 0) return
  const idsOf = (isFinished: boolean) =>
    personal.filter(({ status }) => (status === 'succeeded') === isFinished).map(({ id }) => id)
  const now = timeOf(clock)
  await sql`
    delete from report_chunks
     where merchant_account_id = ${account}
       and report_execution_id = any(${personal.map(({ id }) => id)}::uuid[])`.execute(db)
  await sql`
    update report_executions
       set erased_at = ${now}
     where merchant_account_id = ${account}
       and id = any(${idsOf(true)}::uuid[])`.execute(db)
  await sql`
    update report_executions
       set status = 'pending',
           lease = null,
           due_at = ${now},
           attempts = attempts - 1
     where merchant_account_id = ${account}
       and id = any(${idsOf(false)}::uuid[])
       and status in ('dispatched', 'processing')`.execute(db)
}
