import { makeRounds, type Rounds } from '../rounds.ts'
import type { World } from '../world.ts'
import { learn, ownEvidence, type ServiceCalls } from './call-counts.ts'
import { windowOf } from './call-window.ts'
import { afterCalls, LOST_IN_A_ROW } from './circuit.ts'
import { addCalls, type Health, moveCircuit, readHealth } from './payment-service-health.store.ts'

const INTERVAL_MS = 1_000

/** Once a second, in every process: tells the others what calls came to, and moves circuits. A process that made no calls asks the database nothing. */
export const startHealthRounds = (world: World): Rounds =>
  makeRounds(
    INTERVAL_MS,
    () => examineHealth(world),
    (error) => world.log.error({ err: error }, 'the health of payment services could not be examined; it is tried again'),
  )

/** Answers how many circuits moved. */
async function examineHealth(world: World): Promise<number> {
  const spoken = [...world.calls.values()].filter((calls) => hasNews(world, calls))
  await addCalls(world, spoken.map(taken))
  const states = await readHealth(world, spoken)
  let moved = 0
  for (const health of states) {
    const calls = world.calls.get(health.service)
    if (calls && (await moves(world, calls, health))) moved += 1
  }
  forgetQuiet(world)
  if (moved > 0) world.changes.forget('payment_service_health')
  return moved
}

function hasNews(world: World, calls: ServiceCalls): boolean {
  const { silent, probe } = ownEvidence(world, calls)
  return calls.buckets.size > 0 || silent >= LOST_IN_A_ROW || probe !== null
}

/** What was counted so far leaves this process. Should the database fail it is lost: what a minute of calls came to is not worth a retry. */
function taken({ account, service, ...calls }: ServiceCalls) {
  const buckets = [...calls.buckets.values()]
  calls.buckets.clear()
  return { account, service, buckets }
}

async function moves(world: World, calls: ServiceCalls, health: Health): Promise<boolean> {
  const { circuit, buckets } = health
  if (circuit.since !== calls.since) learn(calls, circuit.since)
  const now = world.machineClock.now()
  const own = ownEvidence(world, calls)
  const next = afterCalls(circuit, { ...windowOf(buckets, now, circuit.since), ...own }, now)
  const isMoved = next !== circuit && (await moveCircuit(world, health, next))
  if (isMoved) learn(calls, next.since)
  // told, or of no use: another process holds the probe by now
  if (own.probe && (isMoved || circuit.state !== 'half_open')) calls.probe = undefined
  return isMoved && next.state !== circuit.state
}

/** Payment services that were deleted, or are asked seldom, are not remembered for ever. */
function forgetQuiet({ calls, machineClock }: World): void {
  for (const [service, { buckets, waiting, lost, probe, nextClaimAt }] of calls)
    if (buckets.size === 0 && waiting.size === 0 && lost.inARow === 0 && !probe && nextClaimAt <= machineClock.now()) calls.delete(service)
}
