import { type Static, Type } from 'typebox'
import { Closed, Described } from '../api/schema.ts'

const AllowedOrigins = Described(
  Type.Array(Type.String({ minLength: 1, maxLength: 300 }), { maxItems: 50 }),
  'The origins of the pages that may show card fields, such as `https://shop.example`. Empty: none; in the sandbox, pages of this machine',
)

export const ElementsConfiguration = Closed('ElementsConfiguration', {
  type: Type.Literal('elements-configuration'),
  merchant_account_id: Type.String(),
  allowed_origins: AllowedOrigins,
})
export type ElementsConfiguration = Static<typeof ElementsConfiguration>

export const ElementsConfigurationUpdate = Closed('ElementsConfigurationUpdate', {
  allowed_origins: AllowedOrigins,
})
