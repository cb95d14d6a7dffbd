import type { GiftCardServiceDefinition } from '../../contract/gift-card-connector.ts'
import { definitionField } from '../../wire/definition-fields.ts'
import { type AdyenOptions, accountFields } from '../environment.ts'

/** Gift cards of one brand at Adyen: redemptions by its Checkout API, balances by its Stored Value API. */
export const definition = ({ isSandbox }: AdyenOptions): GiftCardServiceDefinition => ({
  id: 'adyen-gift-card',
  displayName: 'Adyen gift card',
  fields: [
    ...accountFields(isSandbox),
    definitionField('brand', 'Brand of the gift cards, such as givex or svs', { required: true }),
    definitionField('hmac_key', 'HMAC key of the webhook', { secret: true }),
  ],
})
