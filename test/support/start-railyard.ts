import { afterAll } from 'vitest'
import { startTestRailyard, type TestRailyard } from './railyard.ts'

/** Starts an instance for all tests of a file, which ends after them. */
export async function startRailyardForFile(
  ...options: Parameters<typeof startTestRailyard>
): Promise<TestRailyard> {
  const railyard = await startTestRailyard(...options)
  afterAll(() => railyard.close())
  return railyard
}
