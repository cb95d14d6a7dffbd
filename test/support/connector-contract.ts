import { describe, expect, test } from 'vitest'
import type { ConnectorUnderTest } from '../../src/connector-kit/fake-provider.ts'
import { connectorChecks } from '../../src/connector-kit/suite.ts'
import type { Connector } from '../../src/connectors/contract/connector.ts'

/**
 * One suite for any connector, against its fake provider: operation × fault × crash, declines, amounts,
 * notifications, and the definition (docs/guides/write-a-connector.md).
 */
export function connectorContract(connector: Connector, underTest: ConnectorUnderTest): void {
  describe(`${connector.definition.id} keeps the contract of connectors`, () => {
    for (const { name, run } of connectorChecks(connector, underTest))
      test(name, async () => expect(await run()).toEqual([]))
  })
}
