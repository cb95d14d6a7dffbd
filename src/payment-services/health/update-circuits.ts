import { type PeriodicTask, startPeriodicTask } from '../../base/periodic-task.ts'
import type { World } from '../../world.ts'
import { discardBefore, processEvidence, type ServiceCalls } from './call-counts.ts'
import { windowOf } from './call-window.ts'
import { LOST_IN_A_ROW, nextCircuit } from './circuit.ts'
import { addCalls, moveCircuit, readHealth, type ServiceHealth } from './payment-service-health.store.ts'

const INTERVAL_MS = 1_000

/**
 * Once a second, in every process: adds this process's calls to the database and moves circuits. A process
 * that made no calls sends the database nothing.
 */
export const startCircuitUpdates = (world: World): PeriodicTask =>
  startPeriodicTask(
    INTERVAL_MS,
    () => updateCircuits(world),
    (error) =>
      world.log.error(
        { err: error },
        'the circuits of payment services could not be updated; it is tried again',
      ),
  )

/** Answers how many circuits moved. */
async function updateCircuits(world: World): Promise<number> {
  const called = [...world.callCounts.values()].filter((calls) => hasNewEvidence(world, calls))
  await addCalls(world, called.map(takeBuckets))
  const states = await readHealth(world, called)
  let moved = 0
  for (const health of states) {
    const calls = world.callCounts.get(health.service)
    if (calls && (await updateCircuit(world, calls, health))) moved += 1
  }
  dropIdleCounts(world)
  if (moved > 0) world.changes.invalidate('payment_service_health')
  return moved
}

function hasNewEvidence(world: World, calls: ServiceCalls): boolean {
  const { unanswered, probe } = processEvidence(world, calls)
  return calls.buckets.size > 0 || unanswered >= LOST_IN_A_ROW || probe !== null
}

/**
 * Takes the counted calls out of this process. If the database fails they are lost: a minute of counts is not
 * worth a retry.
 */
function takeBuckets({ account, service, ...calls }: ServiceCalls) {
  const buckets = [...calls.buckets.values()]
  calls.buckets.clear()
  return { account, service, buckets }
}

async function updateCircuit(world: World, calls: ServiceCalls, health: ServiceHealth): Promise<boolean> {
  const { circuit, buckets } = health
  if (circuit.since !== calls.since) discardBefore(calls, circuit.since)
  const now = world.machineClock.now()
  const own = processEvidence(world, calls)
  const next = nextCircuit(circuit, { ...windowOf(buckets, now, circuit.since), ...own }, now)
  const isMoved = next !== circuit && (await moveCircuit(world, health, next))
  if (isMoved) discardBefore(calls, next.since)
  // the probe was recorded, or is of no use because another process has it by now
  if (own.probe && (isMoved || circuit.state !== 'half_open')) calls.probe = undefined
  return isMoved && next.state !== circuit.state
}

/** Forgets payment services that are deleted or seldom called. */
function dropIdleCounts({ callCounts, machineClock }: World): void {
  for (const [service, { buckets, waiting, lost, probe, nextClaimAt }] of callCounts)
    if (
      buckets.size === 0 &&
      waiting.size === 0 &&
      lost.inARow === 0 &&
      !probe &&
      nextClaimAt <= machineClock.now()
    )
      callCounts.delete(service)
}
