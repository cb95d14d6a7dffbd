import type { ConnectorPackage } from 'railyard/connector'
import { acme } from './connector.ts'

/** What `CONNECTORS=@acme/railyard-acme` loads. */
export default {
  contractVersion: 1,
  connectors: () => [acme()],
  // imported by `railyard connector check` alone, so that no service loads the fake
  underTest: async () => ({ 'acme-card': (await import('./fake.ts')).underTest }),
} satisfies ConnectorPackage
