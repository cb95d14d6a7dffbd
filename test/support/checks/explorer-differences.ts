import type { DimensionName } from '../../../src/insights/dimension.ts'
import { tallyFromRows } from '../../../src/insights/tally.fixture.ts'
import { type Tally, type TallyQuery, tally } from '../../../src/insights/tally.ts'
import type { TestRailyard } from '../railyard.ts'

const populations = ['authorization', 'authentication', 'monitoring'] as const
const dimensions: DimensionName[] = [
  'authorized',
  'currency',
  'error_code',
  'metadata',
  'payment_service_id',
  'raw_response_code',
  'three_d_secure_eci',
]
/** All that tests live through. */
const ALWAYS = { from: Date.parse('2020-01-01T00:00:00Z'), to: Date.parse('2120-01-01T00:00:00Z') }

/**
 * Where the metrics explorer says something else of an account than its payments' own rows. The columns are
 * made of what the event log tells: a change of what is counted that writes no event would be missing for
 * good.
 */
export async function explorerDifferences(
  { world, insights }: Pick<TestRailyard, 'world'> & { insights: Pick<TestRailyard['insights'], 'runOnce'> },
  account: string,
): Promise<string[]> {
  await insights.runOnce()
  const questions = populations.flatMap((population) =>
    dimensions.map(
      (by): TallyQuery => ({ account, population, by, span: ALWAYS, filters: [], withVolume: true }),
    ),
  )
  const differing: string[] = []
  for (const question of questions) {
    // one snapshot for both: recovery may change a payment between two statements
    const [shown, truth] = await world.db
      .transaction()
      .setIsolationLevel('repeatable read')
      .execute(async (db) => [
        written(await tally({ db }, question)),
        written(await tallyFromRows(db, question)),
      ])
    if (shown !== truth)
      differing.push(`the explorer, ${question.population} by ${question.by}: ${shown} instead of ${truth}`)
  }
  return differing
}

const written = (answer: Tally): string =>
  JSON.stringify([...answer].map(([key, sum]) => [key, sum.transactions, sum.authorized, sum.volume]).sort())
