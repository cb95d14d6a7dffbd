import { type Static, Type } from 'typebox'
import { CardExpiry, Nullable, Words } from '../../../api/schema.ts'

export const ProvisionBody = Type.Object({
  card: Type.Object({
    number: Type.String({ pattern: '^\\d{12,19}$' }),
    expiration_date: CardExpiry,
    security_code: Type.Optional(Nullable(Type.String({ pattern: '^\\d{3,4}$' }))),
  }),
  requestor_id: Type.String({ minLength: 1 }),
  app_id: Type.String({ minLength: 1 }),
  merchant_initiated: Type.Boolean(),
  subsequent: Type.Boolean(),
  notification_url: Nullable(Type.String()),
})
export type ProvisionBody = Static<typeof ProvisionBody>

export const CryptogramBody = Type.Object({ merchant_initiated: Type.Boolean() })

/** A change of a token by its scheme. */
export const SchemeChange = Type.Object(
  {
    status: Type.Optional(Words('active', 'suspended', 'deleted')),
    expiration_date: Type.Optional(CardExpiry),
  },
  { additionalProperties: false },
)
