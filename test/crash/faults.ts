import type { FaultItem } from '../../src/sandbox/faults/fault.schema.ts'
import type { Chance } from './chance.ts'

/**
 * The latency of a healthy payment service, which also widens the time between the two commits of an
 * operation.
 */
const latency = (chance: Chance): FaultItem => ({
  operation: '*',
  kind: 'delay',
  delay_ms: chance.between(2, 60),
  probability: 0.5,
})

/** Every kind of fault now and then, and sometimes a short outage. */
function misbehaviour(chance: Chance): FaultItem[] {
  const from = chance.between(0, 2_000)
  const outage: FaultItem = {
    operation: '*',
    kind: 'outage',
    starts_in: from / 1_000,
    ends_in: (from + chance.between(200, 1_500)) / 1_000,
  }
  return [
    ...(chance.odds(0.25) ? [outage] : []),
    ...(['lost', 'malformed', 'reset', 'error', 'empty', 'duplicate'] as const).map((kind) => ({
      operation: '*' as const,
      kind,
      probability: 0.1,
    })),
    // beyond PROVIDER_TIMEOUT_MS half of the time
    { operation: '*', kind: 'delay', delay_ms: chance.between(400, 1_600), probability: 0.1 },
  ]
}

/** Sets the payment service's faults until the next crash. */
export async function setFaults(simulatorUrl: string, chance: Chance, misbehaves: boolean): Promise<void> {
  const items = [...(misbehaves ? misbehaviour(chance) : []), latency(chance)]
  const answer = await fetch(`${simulatorUrl}/faults`, { method: 'PUT', body: JSON.stringify({ items }) })
  if (!answer.ok) throw new Error(`the simulator refused the faults: ${await answer.text()}`)
}
