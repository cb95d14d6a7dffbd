import type { AntiFraudDefinition } from '../anti-fraud-connector.ts'

/** The anti-fraud service of the sandbox (SEMANTICS §6.3): the buyer's e-mail address says what it decides. */
export const definition: AntiFraudDefinition = {
  id: 'mock-anti-fraud',
  displayName: 'Mock anti-fraud',
  fields: [{ key: 'api_key', displayName: 'API Key', required: true, secret: true, format: 'text' }],
}
