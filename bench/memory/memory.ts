import { setTimeout as wait } from 'node:timers/promises'
import { startInstance } from '../instance.ts'
import type { Generator } from '../load.ts'
import type { Engine, Options } from '../options.ts'
import { payments } from '../pay/payment.ts'
import { type Goal, spread, table } from '../report.ts'
import { type Figure, figure } from '../statistics.ts'

const REST_MS = 5_000
const LOOK_MS = 100
/** In this time the process has compiled what payments need, and its memory has stopped growing. */
const MIN_SECONDS = 40

const gates = {
  postgres: { idle: { gate: 130, aim: 110 }, loaded: { gate: 260, aim: 180 } },
  embedded: { idle: { gate: 350, aim: 300 }, loaded: { gate: 350, aim: 300 } },
} as const satisfies Record<Engine, object>

/**
 * Resident memory of the server without its provider: idle after its start, at its peak under payments of 32
 * connections, and idle afterwards.
 */
export async function measureMemory(
  engine: Engine,
  generator: Generator,
  { rounds, seconds }: Options,
): Promise<{ goals: Goal[]; problems: string[] }> {
  const [idle, loaded, after]: number[][] = [[], [], []]
  const problems: string[] = []
  // each starts a new process, and one round says as much as three
  for (let round = 0; round < Math.min(2, rounds); round++) {
    const instance = await startInstance(engine)
    await wait(REST_MS)
    idle?.push(instance.residentMb())
    let most = 0
    const looking = setInterval(() => {
      most = Math.max(most, instance.residentMb())
    }, LOOK_MS)
    await generator.ask({
      ...payments(instance),
      connections: 32,
      until: { seconds: Math.max(MIN_SECONDS, seconds) },
    })
    clearInterval(looking)
    loaded?.push(most)
    await wait(REST_MS)
    after?.push(instance.residentMb())
    problems.push(...(await instance.closeAndAudit()))
  }
  const [atRest, underLoad, afterwards] = [idle, loaded, after].map((each) => figure(each ?? [])) as [
    Figure,
    Figure,
    Figure,
  ]
  console.log(`\n### Memory, ${engine}\n`)
  console.log(
    table(
      ['RSS MB', 'at rest', 'under load', 'at rest again'],
      [['server', ...[atRest, underLoad, afterwards].map(spread)]],
    ),
  )
  const goal = (name: string, of: Figure, bounds: { gate: number; aim: number }): Goal => ({
    name: `P13 ${name}, ${engine}`,
    figure: of,
    unit: 'MB',
    better: 'lower',
    ...bounds,
  })
  return {
    goals: [
      goal('RSS at rest', atRest, gates[engine].idle),
      goal('RSS under load', underLoad, gates[engine].loaded),
    ],
    problems,
  }
}
