import type { World } from '../world.ts'
import { callsTo } from './call-counts.ts'
import { mayProbe, PROBE_INTERVAL_MS, type Unwell } from './circuit.ts'
import { claimProbe, unwellServices } from './payment-service-health.store.ts'

/** Why a payment service that could have taken a payment was not asked. */
export interface Skipped {
  payment_service_id: string
  reason: 'circuit_open'
}

/**
 * Leaves out the payment services whose circuit is not closed, keeping the order. One that may be probed is kept: in the first place this payment is
 * the probe, further behind it may become one (`mayFollow`). Where nothing would be left the first is tried anyway: a payment that might succeed is better
 * than one that surely fails.
 */
export async function withoutUnwell<T extends { id: string }>(
  world: World,
  account: string,
  services: readonly T[],
): Promise<{ services: T[]; skipped: Skipped[] }> {
  const unwell = await unwellServices(world, account)
  if (unwell.size === 0) return { services: [...services], skipped: [] }
  const kept: T[] = []
  for (const service of services) {
    const circuit = unwell.get(service.id)
    const isKept = !circuit || (kept.length > 0 ? mayProbe(circuit, world.clock.now()) : await claimed(world, account, service.id, circuit))
    if (isKept) kept.push(service)
  }
  const left = kept.length > 0 ? kept : services.slice(0, 1)
  return {
    services: left,
    skipped: services.filter((service) => !left.includes(service)).map(({ id }) => ({ payment_service_id: id, reason: 'circuit_open' })),
  }
}

/** Whether a payment that was refused elsewhere may go on to this payment service. True claims the probe where its circuit is not closed. */
export async function mayFollow(world: World, account: string, service: string): Promise<boolean> {
  const circuit = (await unwellServices(world, account)).get(service)
  return !circuit || claimed(world, account, service, circuit)
}

/** Whether this payment is the one that finds out if the payment service is well again. */
async function claimed(world: World, account: string, service: string, circuit: Unwell): Promise<boolean> {
  const now = world.clock.now()
  const calls = callsTo(world, account, service)
  if (!mayProbe(circuit, now) || calls.nextClaimAt > now) return false
  // what this process remembers of the circuit may be older than another's claim: it asks the database once a second, not with each payment
  calls.nextClaimAt = now + PROBE_INTERVAL_MS
  const circuitNow = await claimProbe(world, { account, service }, now + lease(world))
  if (!circuitNow) return false
  calls.probe = { state: 'claimed', since: circuitNow.since }
  return true
}

/** How long a probe is waited for before another payment may be one: its process may have died. In milliseconds. */
const lease = ({ settings }: World) => settings.providerTimeout + 5_000
