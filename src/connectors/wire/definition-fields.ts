import type { ServiceForCall } from '../contract/call.ts'
import type { FieldDefinition } from '../contract/connector.ts'

/** A field of a definition: optional, not secret, text, unless `more` says otherwise. */
export const definitionField = (
  key: string,
  displayName: string,
  more: Partial<FieldDefinition> = {},
): FieldDefinition => ({ key, displayName, required: false, secret: false, format: 'text', ...more })

/** Whether the provider takes card numbers from this merchant. Absent: it does not, and none is sent. */
export const cardNumbersField = definitionField('card_numbers', 'Card numbers', {
  values: ['refuse', 'allow'],
})

export const takesCardNumbers = (fields: ServiceForCall['fields']): boolean =>
  fields['card_numbers'] === 'allow'
