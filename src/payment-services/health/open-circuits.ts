import { setTimeout as wait } from 'node:timers/promises'
import type { World } from '../../world.ts'
import { serviceCalls } from './call-counts.ts'
import { canProbe, PROBE_INTERVAL_MS, type UnhealthyCircuit } from './circuit.ts'
import { leaseProbe, unhealthyCircuits } from './payment-service-health.store.ts'

/** Why a payment service that could have taken a payment did not get it. */
export interface OpenCircuitSkip {
  payment_service_id: string
  reason: 'circuit_open'
}

/**
 * Decides which of the payment services, in the order of trying, a payment skips because their circuit is not
 * closed. The payment becomes the probe of the first service that is due for one, if it can claim that probe;
 * a service further behind that is due for a probe is not skipped, since the payment may probe it after a
 * refusal. If all services would be skipped the first is tried anyway: a payment that might succeed is better
 * than one that surely fails.
 */
export async function skipOpenCircuits(
  world: World,
  account: string,
  services: readonly string[],
): Promise<OpenCircuitSkip[]> {
  const once = [...new Set(services)]
  const skipped = await skipOpenCircuitsAfterRefusal(world, account, once)
  return skipped.length < once.length ? skipped : skipped.slice(1)
}

/** The same for a payment that another payment service refused: it may skip all of them. */
export async function skipOpenCircuitsAfterRefusal(
  world: World,
  account: string,
  services: readonly string[],
): Promise<OpenCircuitSkip[]> {
  const circuits = await unhealthyCircuits(world, account)
  if (circuits.size === 0) return []
  const skipped = openCircuits(circuits, services, world.machineClock.now())
  for (const service of services) {
    if (skipped.has(service)) continue
    if (!circuits.has(service) || (await claimProbe(world, account, service))) break
    // another payment is the probe
    skipped.add(service)
  }
  return services
    .filter((service) => skipped.has(service))
    .map((service) => ({ payment_service_id: service, reason: 'circuit_open' }))
}

/** Those of the payment services whose circuit is not closed and that are not due for a probe. */
export const openCircuits = (
  circuits: ReadonlyMap<string, UnhealthyCircuit>,
  services: readonly string[],
  now: number,
): Set<string> =>
  new Set(
    services.filter((service) => {
      const circuit = circuits.get(service)
      return circuit && !canProbe(circuit, now)
    }),
  )

/**
 * Makes this payment the one that probes a payment service, which is due for it. False: another payment is
 * the probe.
 */
async function claimProbe(world: World, account: string, service: string): Promise<boolean> {
  const now = world.machineClock.now()
  const calls = serviceCalls(world, account, service)
  if (calls.nextClaimAt > now) return false
  // this process's copy of the circuit may be older than another process's claim: it asks the database once a
  // second, not with each payment
  calls.nextClaimAt = now + PROBE_INTERVAL_MS
  // on Citus every node has a copy of the circuit: while one does not answer, payments go on without a probe
  const circuit = await Promise.race([
    leaseProbe(world, { account, service }, now + probeLeaseMs(world)).catch(() => undefined),
    wait(MAX_CLAIM_MS, undefined, { ref: false }),
  ])
  if (!circuit) return false
  calls.probe = { state: 'claimed', since: circuit.since }
  return true
}

/** A claim takes milliseconds in good health. */
const MAX_CLAIM_MS = 1_000

/** Milliseconds after which another payment may be the probe: the process of this one may have died. */
const probeLeaseMs = ({ settings }: World) => settings.providerTimeout + 5_000
