import type { GiftCardServiceCreate } from '@railyard/client'
import { isSandbox } from '../../api/place.ts'
import type { DefinitionField } from '../../parts/forms/definition-fields.tsx'
import type { ServiceDefinition } from '../../parts/forms/service-form.tsx'
import { giftCardServiceWords as words } from '../../words/connections/gift-card-services.ts'

type DefinitionId = GiftCardServiceCreate['gift_card_service_definition_id']

export interface GiftCardDefinition extends ServiceDefinition {
  id: DefinitionId
  /** Whether it sends notifications to an address that is entered at the provider. */
  notifies: boolean
}

const field = (
  key: keyof typeof words.fields,
  { required = false, secret = false } = {},
): DefinitionField => ({ key, display_name: words.fields[key], required, secret, format: 'text' })

/**
 * What can be connected. The API lists no definitions of gift card services, so they are those of
 * src/connectors; it checks the fields again.
 */
export const definitions: readonly GiftCardDefinition[] = [
  ...(isSandbox
    ? [
        {
          id: 'mock-gift-card',
          display_name: words.definitions['mock-gift-card'],
          fields: [field('api_key', { required: true, secret: true })],
          notifies: false,
        } as const,
      ]
    : []),
  {
    id: 'adyen-gift-card',
    display_name: words.definitions['adyen-gift-card'],
    fields: [
      field('merchant_account', { required: true }),
      field('api_key', { required: true, secret: true }),
      field('environment'),
      field('live_url_prefix'),
      field('brand', { required: true }),
      field('hmac_key', { secret: true }),
    ],
    notifies: true,
  },
]

export const definitionOf = (id: string): GiftCardDefinition | undefined =>
  definitions.find((definition) => definition.id === id)
