import { waitUntilReadable } from '../../src/database/logs/event-log.ts'
import type { TestRailyard } from './railyard.ts'

/**
 * Updates the columns of the metrics explorer with everything that is committed now. On PostgreSQL,
 * transactions of tests in other databases of the server hold the horizon of the event log back as well.
 */
export async function updateInsights({
  world,
  insights,
}: Pick<TestRailyard, 'world'> & { insights: Pick<TestRailyard['insights'], 'runOnce'> }): Promise<void> {
  await waitUntilReadable(world)
  await insights.runOnce()
}
