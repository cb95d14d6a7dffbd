import type { AcquirerProfile } from '../connectors/three-d-secure-server.ts'
import type { World } from '../world.ts'

export interface Matched {
  scheme: string | null
  currency: string
  country: string | null
  metadata: Readonly<Record<string, string>> | null
}

export async function profileFor(
  _world: World,
  _account: string,
  { scheme }: Matched,
  own: Readonly<Record<string, unknown>> | null,
): Promise<AcquirerProfile | undefined> {
  return scheme ? ((own?.[scheme] ?? undefined) as AcquirerProfile | undefined) : undefined
}
