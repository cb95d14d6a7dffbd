import type { GiftCardServiceDefinition } from '../gift-card-connector.ts'

/** The gift card service of the sandbox (SEMANTICS §6.2): the PIN says what becomes of a card. */
export const definition: GiftCardServiceDefinition = {
  id: 'mock-gift-card',
  displayName: 'Mock gift card',
  fields: [{ key: 'api_key', displayName: 'API Key', required: true, secret: true, format: 'text' }],
}
