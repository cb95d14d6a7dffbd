import type { AntiFraudDefinition } from '../contract/anti-fraud-connector.ts'

/** The sandbox's anti-fraud service (semantics §6.3): the buyer's e-mail address decides. */
export const definition: AntiFraudDefinition = {
  id: 'mock-anti-fraud',
  displayName: 'Mock anti-fraud',
  fields: [{ key: 'api_key', displayName: 'API Key', required: true, secret: true, format: 'text' }],
}
