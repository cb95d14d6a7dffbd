import { setTimeout as wait } from 'node:timers/promises'
import { newPlace, type Place, startServer } from '../instance.ts'
import type { Engine, Options } from '../options.ts'
import { pay } from '../pay/payment.ts'
import { type Program, residentMb } from '../processes.ts'
import { type Goal, spread, table } from '../report.ts'
import { figure } from '../statistics.ts'

interface Start {
  readyMs: number
  paidMs: number
  idleMb: number
}

const SETTLE_MS = 3_000

/**
 * Spawns the server as a user does, simulator inside, pays once as soon as it says that it is ready, and lets
 * it rest.
 */
async function startOnce(place: Place): Promise<Start> {
  const began = performance.now()
  const server = await startServer(place)
  const readyMs = performance.now() - began
  await pay({ url: server.said.match[1] ?? '', token: tokenOf(server) })
  const paidMs = performance.now() - began
  await wait(SETTLE_MS)
  const idleMb = residentMb(server.pid)
  await server.stop()
  return { readyMs, paidMs, idleMb }
}

/** The sandbox prints one with its welcome. */
function tokenOf(server: Program): string {
  const token = /^TOKEN=(\S+)$/m.exec(server.output())?.[1]
  if (!token) throw new Error('the welcome holds no token')
  return token
}

export async function measureStart(
  engine: Engine,
  { rounds }: Options,
): Promise<{ goals: Goal[]; problems: string[] }> {
  const first: Start[] = []
  const again: Start[] = []
  for (let round = 0; round < rounds; round++) {
    const place = await newPlace(engine)
    first.push(await startOnce(place))
    again.push(await startOnce(place))
    await place.remove()
  }
  const of = (starts: Start[], pick: (start: Start) => number) => figure(starts.map(pick))
  const row = (name: string, starts: Start[]) => [
    name,
    ...[
      of(starts, ({ readyMs }) => readyMs),
      of(starts, ({ paidMs }) => paidMs),
      of(starts, ({ idleMb }) => idleMb),
    ].map(spread),
  ]
  console.log(`\n### Start, ${engine}\n`)
  console.log(
    table(
      ['', 'ready ms', 'first payment ms', 'idle RSS MB'],
      [row('nothing there', first), row('an instance there', again)],
    ),
  )
  const goal = (
    name: string,
    starts: Start[],
    pick: (start: Start) => number,
    unit: string,
    gate: number,
    aim?: number,
  ): Goal => ({
    name: `${name}, ${engine}`,
    figure: of(starts, pick),
    unit,
    better: 'lower',
    gate,
    ...(aim !== undefined && { aim }),
  })
  return {
    problems: [],
    goals: [
      goal('ready from nothing', first, ({ readyMs }) => readyMs, 'ms', 3_000),
      goal(
        'P12 ready again',
        again,
        ({ readyMs }) => readyMs,
        'ms',
        2_000,
        engine === 'embedded' ? 1_500 : 1_000,
      ),
      goal('P12 first payment from nothing', first, ({ paidMs }) => paidMs, 'ms', 6_000, 3_000),
      goal('P12 first payment again', again, ({ paidMs }) => paidMs, 'ms', 2_000, 1_000),
      goal(
        'idle RSS, simulators inside',
        again,
        ({ idleMb }) => idleMb,
        'MB',
        engine === 'embedded' ? 400 : 150,
        engine === 'embedded' ? 350 : 100,
      ),
    ],
  }
}
