import type { Connector } from '../connectors/contract/connector.ts'
import type { ConnectorOptions, LoadedPackage } from '../connectors/contract/connector-package.ts'
import type { ConnectorUnderTest } from './fake-provider.ts'

/** The default export of a package with connectors (docs/guides/write-a-connector.md). */
export interface ConnectorPackage extends LoadedPackage {
  connectors: (options: ConnectorOptions) => readonly Connector[]
  /**
   * What `railyard connector check` runs the connectors against, by the ids of their definitions. A function,
   * so that a service does not load the fakes.
   */
  underTest?: () => Promise<Readonly<Record<string, ConnectorUnderTest>>>
}
