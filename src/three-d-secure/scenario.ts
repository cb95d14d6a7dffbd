import type { SimulatedOutcome } from '../connectors/three-d-secure-server.ts'
import type { World } from '../world.ts'

export async function matchScenario(
  _world: World,
  _account: string,
  _payment: { amount: number; fingerprint: string | null; buyer: unknown },
): Promise<
  | {
      outcome: {
        version?: string | null
        authentication: { transaction_status: SimulatedOutcome['authentication'] }
        result?: { transaction_status: NonNullable<SimulatedOutcome['result']> } | null
      }
    }
  | undefined
> {
  return undefined
}
