import { type Static, Type } from 'typebox'
import { Amount, Closed, Nullable, Text, Uuid, Words } from '../../api/schema.ts'
import {
  type GiftCardErrorCode as ErrorCode,
  giftCardErrorCodes,
} from '../../connectors/contract/gift-card-error-codes.ts'

export const GiftCardTransactionCreate = Closed('GiftCardTransactionCreate', {
  number: Type.String({ pattern: '^\\d+$', minLength: 16, maxLength: 19 }),
  pin: Type.String({ minLength: 1 }),
  amount: Type.Integer(),
})
export type GiftCardTransactionCreate = Static<typeof GiftCardTransactionCreate>

export const GiftCardTokenTransactionCreate = Closed('GiftCardTokenTransactionCreate', {
  id: Uuid,
  amount: Amount,
})
export type GiftCardTokenTransactionCreate = Static<typeof GiftCardTokenTransactionCreate>

export const GiftCardRedemptionStatus = Words('created', 'succeeded', 'failed', 'skipped')
export type GiftCardRedemptionStatus = Static<typeof GiftCardRedemptionStatus>

export const GiftCardErrorCode = Type.Unsafe<ErrorCode>({
  type: 'string',
  enum: Object.keys(giftCardErrorCodes),
})
export type GiftCardErrorCode = Static<typeof GiftCardErrorCode>

export const TransactionGiftCard = Closed('TransactionGiftCard', {
  type: Type.Literal('gift-card'),
  id: Nullable(Uuid),
  bin: Type.String(),
  sub_bin: Type.String(),
  last4: Type.String(),
})
export type TransactionGiftCard = Static<typeof TransactionGiftCard>

export const GiftCardRedemption = Closed('GiftCardRedemption', {
  type: Type.Literal('gift-card-redemption'),
  id: Uuid,
  status: GiftCardRedemptionStatus,
  amount: Type.Integer(),
  refunded_amount: Type.Integer(),
  gift_card_service_redemption_id: Nullable(Type.String()),
  error_code: Nullable(GiftCardErrorCode),
  raw_error_code: Nullable(Type.String()),
  raw_error_message: Nullable(Type.String()),
  gift_card: TransactionGiftCard,
})
export type GiftCardRedemption = Static<typeof GiftCardRedemption>

export const GiftCardServiceProvider = Words(
  'mock-gift-card',
  'adyen-gift-card',
  'qwikcilver-gift-card',
  'valuelink-gift-card',
)
export type GiftCardServiceProvider = Static<typeof GiftCardServiceProvider>

export const GiftCardService = Closed('GiftCardService', {
  type: Type.Literal('gift-card-service'),
  id: Uuid,
  gift_card_service_definition_id: GiftCardServiceProvider,
  display_name: Text(1, 200),
})
export type GiftCardService = Static<typeof GiftCardService>
