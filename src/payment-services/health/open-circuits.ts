import type { World } from '../../world.ts'
import { serviceCalls } from './call-counts.ts'
import { canProbe, PROBE_INTERVAL_MS, type UnhealthyCircuit } from './circuit.ts'
import { claimProbe, unhealthyCircuits } from './payment-service-health.store.ts'

/** Why a payment service that could have taken a payment was not asked. */
export interface OpenCircuitSkip {
  payment_service_id: string
  reason: 'circuit_open'
}

/**
 * Those of the payment services, in the order of trying, that a payment goes around because their circuit is not closed. One that may be probed is not among them:
 * in the first place this payment is the probe, further behind it may become one after a refusal. Where none would be left the first is tried anyway: a
 * payment that might succeed is better than one that surely fails.
 */
export async function openCircuits(world: World, account: string, services: readonly string[]): Promise<OpenCircuitSkip[]> {
  const once = [...new Set(services)]
  const skipped = await openCircuitsAfterRefusal(world, account, once)
  return skipped.length < once.length ? skipped : skipped.slice(1)
}

/** The same for a payment that was refused elsewhere: none may be left. */
export async function openCircuitsAfterRefusal(world: World, account: string, services: readonly string[]): Promise<OpenCircuitSkip[]> {
  const unwell = await unhealthyCircuits(world, account)
  if (unwell.size === 0) return []
  const skipped: OpenCircuitSkip[] = []
  for (const [index, service] of services.entries()) {
    const circuit = unwell.get(service)
    const isFirst = skipped.length === index
    const isAsked = !circuit || (isFirst ? await tryClaimProbe(world, account, service, circuit) : canProbe(circuit, world.machineClock.now()))
    if (!isAsked) skipped.push({ payment_service_id: service, reason: 'circuit_open' })
  }
  return skipped
}

/** Whether this payment is the one that finds out if the payment service is well again. */
async function tryClaimProbe(world: World, account: string, service: string, circuit: UnhealthyCircuit): Promise<boolean> {
  const now = world.machineClock.now()
  const calls = serviceCalls(world, account, service)
  if (!canProbe(circuit, now) || calls.nextClaimAt > now) return false
  // what this process remembers of the circuit may be older than another's claim: it asks the database once a second, not with each payment
  calls.nextClaimAt = now + PROBE_INTERVAL_MS
  const circuitNow = await claimProbe(world, { account, service }, now + probeLeaseMs(world))
  if (!circuitNow) return false
  calls.probe = { state: 'claimed', since: circuitNow.since }
  return true
}

/** How long a probe is waited for before another payment may be one: its process may have died. In milliseconds. */
const probeLeaseMs = ({ settings }: World) => settings.providerTimeout + 5_000
