import { seeded } from '../crash/chance.ts'
import { checkEnding, resolve } from './check-ending.ts'
import type { Coverage } from './coverage.ts'
import { beginReading } from './readers.ts'
import { openMerchant, type Stage } from './stage.ts'
import { anyStep } from './steps.ts'
import { beginStory, checkInvariants, type Story, traceHash } from './story.ts'

export interface Playthrough {
  seed: number
  hash: string
  lines: readonly string[]
  /** The virtual time that passed. */
  virtualMs: number
  /** The violated invariant; null: none. */
  finding: string | null
}

const STEPS_A_DAY = 8
const DAY_MS = 86_400_000

/** No step takes this long on any machine: it hangs. */
const FOREVER_MS = 30_000

function inTime<T>(step: Promise<T>): Promise<T> {
  const late = Promise.withResolvers<never>()
  const timer = setTimeout(() => late.reject(new Error('the step does not end')), FOREVER_MS)
  return Promise.race([step, late.promise]).finally(() => clearTimeout(timer))
}

/** Plays one seed's story of this many days, and checks the invariants after each step. */
export async function play(
  stage: Stage,
  seed: number,
  days: number,
  coverage: Coverage,
): Promise<Playthrough> {
  const timeline = beginStory(stage, await openMerchant(stage.railyard), seeded(seed), coverage)
  const began = stage.clock.now()
  const finding = await live(timeline, began, days).catch((error: unknown) =>
    error instanceof Error ? (error.stack ?? error.message) : String(error),
  )
  // a failed story must not affect later ones
  stage.points.revive()
  stage.network.mend()
  return {
    seed,
    hash: traceHash(timeline),
    lines: timeline.lines,
    virtualMs: stage.clock.now() - began,
    finding: finding ?? null,
  }
}

async function live(timeline: Story, began: number, days: number): Promise<undefined> {
  const { coverage } = timeline
  const { clock } = timeline.stage
  if (timeline.chance.odds(0.5)) {
    timeline.lines.push(await inTime(beginReading(timeline)))
    await checkInvariants(timeline)
  }
  for (let day = 1; day <= days; day++) {
    for (let count = 0; count < STEPS_A_DAY; count++) {
      timeline.lines.push(await inTime(anyStep(timeline)(timeline)))
      for (const fault of timeline.stage.network.takeStruck()) coverage.hit(`network: ${fault}`)
      await checkInvariants(timeline)
    }
    const tomorrow = began + day * DAY_MS
    if (clock.now() < tomorrow) clock.advance(tomorrow - clock.now())
    timeline.lines.push(`day ${day} is over`)
  }
  timeline.lines.push(`resolved after ${await resolve(timeline)} rounds`)
  await checkInvariants(timeline)
  await checkEnding(timeline)
}
