import { waitUntilReadable } from '../../src/database/logs/event-log.ts'
import type { Answer, Client, TestRailyard } from './railyard.ts'

/**
 * A merchant account's event feed, with everything that is committed now. Transactions that are still writing
 * hold the horizon of the event log back: those of background jobs and of autovacuum as well.
 */
export async function readEvents(
  { world }: Pick<TestRailyard, 'world'>,
  by: Pick<Client, 'get'>,
): Promise<Answer['body'][]> {
  await waitUntilReadable(world)
  return (await by.get('/events?limit=1000')).body.items
}
