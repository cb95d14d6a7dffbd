import { afterAll, beforeAll, expect, test } from 'vitest'
import { type Coverage, startCoverage } from './coverage.ts'
import { play } from './seed.ts'
import { openStage, type Stage } from './stage.ts'

let stage: Stage
let coverage: Coverage

beforeAll(async () => {
  stage = await openStage()
  coverage = startCoverage()
})
afterAll(async () => {
  await stage.close()
})

/** `npm run test:lab -- --seeds 300` plays more and longer stories, and requires that every case occurred. */
const SEEDS = Array.from({ length: 12 }, (_, index) => index + 1)
const DAYS = 2

test.each(SEEDS)(
  'story %i: failures, crashes, stalls and late arrivals leave the money as the books say',
  async (seed) => {
    const { finding, lines } = await play(stage, seed, DAYS, coverage)
    if (finding)
      expect.fail(
        `${lines.join('\n')}\n${finding}\nrepeat it: npm run test:lab -- --seed ${seed} --days ${DAYS}`,
      )
  },
)

test('the same seed plays the same story on any stage', async () => {
  const again = await play(stage, 3, DAYS, startCoverage())
  const other = await openStage()
  try {
    expect((await play(other, 3, DAYS, startCoverage())).hash).toBe(again.hash)
  } finally {
    await other.close()
  }
  expect((await play(stage, 4, DAYS, startCoverage())).hash).not.toBe(again.hash)
})
