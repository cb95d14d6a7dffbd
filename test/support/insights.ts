import { waitUntilReadable } from '../../src/database/logs/event-log.ts'
import type { TestRailyard } from './railyard.ts'

/**
 * Updates the columns of the metrics explorer with everything that is committed now. Transactions that are
 * still writing hold the horizon of the event log back: those of background jobs and of autovacuum as well.
 */
export async function updateInsights({
  world,
  insights,
}: Pick<TestRailyard, 'world'> & { insights: Pick<TestRailyard['insights'], 'runOnce'> }): Promise<void> {
  await waitUntilReadable(world)
  await insights.runOnce()
}
