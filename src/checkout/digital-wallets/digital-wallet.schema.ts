import { type Static, Type } from 'typebox'
import { Closed, Country, Described, Nullable, Open, Text, Timestamp, Uuid, Words } from '../../api/schema.ts'

export const DigitalWalletProvider = Words('apple', 'google', 'click-to-pay')
export type DigitalWalletProvider = Static<typeof DigitalWalletProvider>

export const DigitalWalletAddress = Closed('DigitalWalletAddress', {
  line1: Text(1, 255),
  line2: Type.Optional(Nullable(Text(1, 255))),
  city: Text(1, 100),
  state_code: Type.String({ pattern: '^[A-Z]{2}-[A-Z0-9]{1,3}$' }),
  postal_code: Text(1, 50),
})

const details = {
  merchant_display_name: Type.Optional(
    Nullable(
      Type.String({ maxLength: 1024, description: 'The name that buyers see; absent: the merchant’s name' }),
    ),
  ),
  merchant_url: Type.Optional(Nullable(Described(Type.String(), 'The shop; required but for Google'))),
  merchant_country_code: Type.Optional(Nullable(Country)),
  merchant_category_code: Type.Optional(Nullable(Text(4, 4))),
  address: Type.Optional(Nullable(DigitalWalletAddress)),
  extra_configuration: Type.Optional(
    Nullable(
      Described(
        Open,
        '`apple_domain_association`: the text of Apple’s domain association file, which is served and looked for at the domains. `digital_payment_application_id`: the id that Click to Pay knows the shop by. `google_merchant_id`: the id that Google’s console gives the shop; payment links and checkouts need it in production',
      ),
    ),
  ),
}

const count = (meaning: string) => Type.Integer({ description: `Apple: certificates that ${meaning}` })

export const DigitalWallet = Closed('DigitalWallet', {
  type: Type.Literal('digital-wallet'),
  id: Uuid,
  merchant_account_id: Type.String(),
  provider: DigitalWalletProvider,
  merchant_name: Type.String(),
  merchant_display_name: Nullable(Type.String()),
  merchant_url: Nullable(Type.String()),
  merchant_country_code: Nullable(Type.String()),
  merchant_category_code: Nullable(Text(4, 4)),
  address: Nullable(DigitalWalletAddress),
  extra_configuration: Nullable(Open),
  domain_names: Type.Array(Type.String()),
  active_certificate_count: count('are in use'),
  pending_certificate_count: count('were asked for and not uploaded yet'),
  expired_certificate_count: count('have expired'),
  fields: Nullable(Open),
  created_at: Timestamp,
  updated_at: Timestamp,
})
export type DigitalWallet = Static<typeof DigitalWallet>

export const DigitalWallets = Closed('DigitalWallets', { items: Type.Array(DigitalWallet) })

export const DigitalWalletCreate = Closed('DigitalWalletCreate', {
  ...details,
  provider: DigitalWalletProvider,
  merchant_name: Type.String({ maxLength: 1024 }),
  domain_names: Type.Optional(Type.Array(Type.String())),
  accept_terms_and_conditions: Described(Type.Boolean(), 'The provider’s; must be true'),
})
export type DigitalWalletCreate = Static<typeof DigitalWalletCreate>

/**
 * Omitted members stay as they are, null clears (semantics §1.7). The name and the domains cannot be cleared:
 * null leaves them.
 */
export const DigitalWalletUpdate = Closed('DigitalWalletUpdate', {
  ...details,
  merchant_display_name: Type.Optional(Nullable(Type.String())),
  merchant_name: Type.Optional(Nullable(Type.String({ maxLength: 1024 }))),
  domain_names: Type.Optional(Nullable(Type.Array(Type.String()))),
})
export type DigitalWalletUpdate = Static<typeof DigitalWalletUpdate>

export const DigitalWalletDomain = Closed('DigitalWalletDomain', { domain_name: Type.String() })
