import { bnpl } from './bnpl-bnpl/connector.ts'
import type { Connector } from './connector.ts'
import { mockCard } from './mock-card/connector.ts'
import { wallet } from './wallet-wallet/connector.ts'

/** Every payment service that can be configured, by the id of its definition. */
export type Connectors = ReadonlyMap<string, Connector>

/** Adding a payment service adds its folder and one line here. Without a sandbox there is no simulator, and nothing that speaks to one. */
export function connectors({ sandboxUrl, clock }: { sandboxUrl: string | undefined; clock: { now(): number } }): Connectors {
  const simulated = sandboxUrl ? [mockCard(`${sandboxUrl}/card`)] : []
  const available = [...simulated, wallet({ sandboxUrl, clock }), bnpl(sandboxUrl && `${sandboxUrl}/bnpl`)]
  return new Map(available.map((connector) => [connector.definition.id, connector]))
}
