import type { Railyard } from '../../src/process/railyard.ts'
import { fileUrl } from '../../src/reports/executions/file-url.ts'
import { insertReport } from '../../src/reports/report.store.ts'
import { type Watched, watched } from '../watched.ts'

/** Makes a report of the payments of the default account. Answers the URL of its file, and what making it took. */
export async function makeReport(
  { world, reports }: Railyard,
  name: string,
  params: Record<string, unknown>,
): Promise<Watched<string>> {
  const report = await insertReport(world, {
    account: 'default',
    name,
    description: null,
    schedule: 'once',
    schedule_enabled: false,
    schedule_timezone: 'Etc/UTC',
    spec: { model: 'transactions', params },
    creator_id: null,
    creator_display_name: null,
    creator_type: null,
  })
  const made = await watched(() => reports.runOnce())
  const execution = report.latest_execution?.id ?? ''
  const expires = Math.ceil(world.clock.now() / 1_000) + 600
  return { ...made, result: fileUrl(world, { account: 'default', execution, expires }) }
}
