import type { ConnectorUnderTest } from '../../../src/connector-kit/fake-provider.ts'
import type { Connector } from '../../../src/connectors/contract/connector.ts'

/** A connector that the connector kit's suite runs on, and what it runs against. */
export type SuiteEntry = readonly [Connector, ConnectorUnderTest]

/** What the suite needs for each of these definitions, with its connector. */
export const entriesOf = (
  connectors: readonly Connector[],
  underTest: Readonly<Record<string, ConnectorUnderTest>>,
): SuiteEntry[] =>
  Object.entries(underTest).map(([id, each]) => {
    const connector = connectors.find(({ definition }) => definition.id === id)
    if (!connector) throw new Error(`no definition ${id}`)
    return [connector, each]
  })
