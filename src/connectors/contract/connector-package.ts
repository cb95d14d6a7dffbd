import type { Connector } from './connector.ts'

/** The version of this contract. A package that names another one is refused. */
export const contractVersion = 1

/** What a package's connectors get when the process starts. */
export interface ConnectorOptions {
  clock: { now(): number }
  /** Whether this is a sandbox: a provider is then called with test credentials only. */
  isSandbox: boolean
}

/** The default export of a package with connectors, as the process loads it. */
export interface LoadedPackage {
  contractVersion: typeof contractVersion
  connectors: (options: ConnectorOptions) => readonly Connector[]
}
