import type { GiftCardServiceDefinition } from '../contract/gift-card-connector.ts'

/** The sandbox's gift card service (semantics §6.2): the PIN decides the outcome. */
export const definition: GiftCardServiceDefinition = {
  id: 'mock-gift-card',
  displayName: 'Mock gift card',
  fields: [{ key: 'api_key', displayName: 'API Key', required: true, secret: true, format: 'text' }],
}
