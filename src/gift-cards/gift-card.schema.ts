import { type Static, Type } from 'typebox'
import {
  Amount,
  Closed,
  Currency,
  Described,
  Erasable,
  Nullable,
  Page,
  Text,
  Timestamp,
  Uuid,
  Words,
} from '../api/schema.ts'
import { Buyer } from '../buyers/buyer.schema.ts'
import { GiftCardErrorCode, GiftCardService } from './redemptions/redemption.schema.ts'

const usage = {
  last_used_at: Nullable(Timestamp),
  usage_count: Type.Integer(),
  cit_last_used_at: Nullable(Timestamp),
  cit_usage_count: Type.Integer(),
}
const digits = { bin: Type.String(), sub_bin: Type.String(), last4: Type.String() }

export const GiftCard = Closed('GiftCard', {
  type: Type.Literal('gift-card'),
  id: Uuid,
  merchant_account_id: Type.String(),
  gift_card_service: GiftCardService,
  ...digits,
  expiration_date: Nullable(Timestamp),
  buyer: Nullable(Buyer),
  created_at: Timestamp,
  updated_at: Timestamp,
  ...usage,
})
export type GiftCard = Static<typeof GiftCard>

export const GiftCards = Page('GiftCards', GiftCard)
export type GiftCards = Static<typeof GiftCards>

/** A card with its balance. */
export const GiftCardSummary = Closed('GiftCardSummary', {
  type: Type.Literal('gift-card'),
  id: Nullable(Described(Uuid, 'Null where the card is not stored')),
  merchant_account_id: Type.String(),
  ...digits,
  currency: Nullable(Described(Currency, 'Null where the card is not bound to one')),
  expiration_date: Nullable(Timestamp),
  balance: Nullable(
    Described(
      Type.Integer(),
      'In the smallest unit; null where the service did not tell, see `balance_error_code`',
    ),
  ),
  balance_error_code: Nullable(GiftCardErrorCode),
  balance_raw_error_code: Nullable(Type.String()),
  balance_raw_error_message: Nullable(Type.String()),
  ...usage,
})
export type GiftCardSummary = Static<typeof GiftCardSummary>

export const GiftCardSummaries = Type.Object(
  { items: Type.Array(GiftCardSummary) },
  { title: 'GiftCardSummaries' },
)
export type GiftCardSummaries = Static<typeof GiftCardSummaries>

const number = Type.String({ pattern: '^\\d+$', minLength: 16, maxLength: 19 })
const pin = Type.String({ minLength: 1 })
const buyer = {
  buyer_id: Type.Optional(Nullable(Uuid)),
  buyer_external_identifier: Type.Optional(Erasable(Nullable(Text(1, 200)))),
}

export const GiftCardCreate = Closed('GiftCardCreate', { number, pin, ...buyer })
export type GiftCardCreate = Static<typeof GiftCardCreate>

export const GiftCardRequest = Closed('GiftCardRequest', { number, pin })
export type GiftCardRequest = Static<typeof GiftCardRequest>

export const GiftCardStoredRequest = Closed('GiftCardStoredRequest', { id: Uuid })
export type GiftCardStoredRequest = Static<typeof GiftCardStoredRequest>

export const GiftCardBalanceRequest = Closed('GiftCardBalanceRequest', {
  items: Type.Array(Type.Union([GiftCardRequest, GiftCardStoredRequest])),
})
export type GiftCardBalanceRequest = Static<typeof GiftCardBalanceRequest>

export const GiftCardActivationCreate = Closed('GiftCardActivationCreate', {
  number,
  pin: Type.Optional(Nullable(pin)),
  amount: Type.Optional(Nullable(Amount)),
  currency: Type.Optional(Nullable(Currency)),
  external_identifier: Type.Optional(Nullable(Text(1, 200))),
  store: Type.Optional(Type.Boolean()),
  ...buyer,
})
export type GiftCardActivationCreate = Static<typeof GiftCardActivationCreate>

export const GiftCardIssuanceCreate = Closed('GiftCardIssuanceCreate', {
  theme: Described(Text(1, 200), 'One of the designs that the gift card service knows'),
  amount: Amount,
  currency: Currency,
  external_identifier: Type.Optional(Nullable(Text(1, 200))),
})
export type GiftCardIssuanceCreate = Static<typeof GiftCardIssuanceCreate>

export const GiftCardIssuance = Closed('GiftCardIssuance', {
  type: Type.Literal('gift-card-issuance'),
  id: Uuid,
  merchant_account_id: Type.String(),
  gift_card_service: GiftCardService,
  gift_card_service_payment_issuance_id: Type.String(),
  url: Type.String(),
  amount: Amount,
  currency: Currency,
  external_identifier: Nullable(Text(1, 200)),
  created_at: Timestamp,
  updated_at: Timestamp,
})
export type GiftCardIssuance = Static<typeof GiftCardIssuance>

export const GiftCardSort = Words('last_used_at', 'usage_count', 'cit_last_used_at', 'cit_usage_count')
export type GiftCardSort = Static<typeof GiftCardSort>
