import type { OperationKind } from '../connectors/contract/call.ts'
import { type Connector, type Feature, offeredFeatures } from '../connectors/contract/connector.ts'

export const operationKinds = [
  'approval',
  'authorize',
  'sale',
  'capture',
  'void',
  'cancel',
  'increment',
  'refund',
  'payout',
] as const satisfies readonly OperationKind[]

/** What a connector can do, for people to read. */
export interface Capabilities {
  id: string
  displayName: string
  method: string
  operations: readonly OperationKind[]
  features: readonly Feature[]
  /** Those of the features that only a simulator has. */
  simulatedFeatures: readonly Feature[]
}

export function capabilitiesOf({ definition, operations }: Connector): Capabilities {
  const { id, displayName, method, features: offered, simulatedFeatures = [] } = definition
  return {
    id,
    displayName,
    method,
    operations: operationKinds.filter((kind) => operations[kind]),
    features: offeredFeatures(offered),
    simulatedFeatures,
  }
}
