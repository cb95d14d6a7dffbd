import { type Static, Type } from 'typebox'
import {
  Amount,
  CardExpiry,
  Closed,
  Currency,
  Described,
  Erasable,
  Nullable,
  Page,
  Parameter,
  PhoneNumber,
  pageQuery,
  Text,
  Timestamp,
  timeParameters,
  Uuid,
  Words,
} from '../api/schema.ts'
import { Address, GuestBuyer, TransactionBuyer } from '../buyers/buyer.schema.ts'
import { CardScheme } from '../connectors/contract/method.schema.ts'
import { TransactionPaymentMethod } from '../transactions/transaction.schema.ts'

export const PayoutStatus = Words('pending', 'succeeded', 'declined', 'failed')
export type PayoutStatus = Static<typeof PayoutStatus>

export const PayoutCategory = Words('online_gambling')

const sender = {
  name: Text(1, 255),
  identification_number: Text(1, 200),
  phone_number: PhoneNumber,
  url: Type.String(),
  merchant_category_code: Text(1, 4),
}

export const PayoutMerchant = Closed('PayoutMerchant', {
  ...sender,
  statement_descriptor: Text(5, 22),
  address: Type.Optional(Nullable(Address)),
})
export type PayoutMerchant = Static<typeof PayoutMerchant>

export const PayoutMerchantSummary = Closed('PayoutMerchantSummary', {
  type: Type.Literal('merchant'),
  ...sender,
  statement_descriptor: Nullable(Text(5, 22)),
  address: Nullable(Address),
})

export const PaymentMethodCard = Closed('PaymentMethodCard', {
  method: Type.Optional(Type.Literal('card')),
  number: Type.String({ pattern: '^\\d+$', minLength: 13, maxLength: 19 }),
  expiration_date: CardExpiry,
  card_scheme: Type.Optional(
    Nullable(Described(CardScheme, 'The scheme to use; absent: the scheme of the first digits')),
  ),
  external_identifier: Type.Optional(Erasable(Nullable(Text(1, 200)))),
})
export type PaymentMethodCard = Static<typeof PaymentMethodCard>

export const PaymentMethodStoredCard = Closed('PaymentMethodStoredCard', {
  method: Type.Optional(Type.Literal('id')),
  id: Described(Uuid, 'A stored card'),
})
export type PaymentMethodStoredCard = Static<typeof PaymentMethodStoredCard>

export const CheckoutPayoutOptions = Closed('CheckoutPayoutOptions', {
  processing_channel_id: Type.String(),
  source_id: Type.String(),
})

export const PayoutConnectionOptions = Closed('PayoutConnectionOptions', {
  'checkout-card': Type.Optional(Nullable(CheckoutPayoutOptions)),
})
export type PayoutConnectionOptions = Static<typeof PayoutConnectionOptions>

export const PayoutCreate = Closed('PayoutCreate', {
  amount: Described(Amount, 'In the smallest unit of the currency: 1299 is 12.99 USD'),
  currency: Described(Currency, 'ISO 4217; the payment service must accept it'),
  payment_service_id: Described(Uuid, 'An active payment service with the feature `payouts`'),
  payment_method: Described(
    Type.Union([PaymentMethodCard, PaymentMethodStoredCard]),
    'The card to which the money is sent',
  ),
  category: Type.Optional(Nullable(PayoutCategory)),
  external_identifier: Type.Optional(Nullable(Described(Text(1, 200), 'The merchant’s own reference'))),
  buyer_id: Type.Optional(
    Nullable(
      Described(
        Uuid,
        'The stored buyer who gets the money. Exactly one of `buyer_id`, `buyer_external_identifier` and `buyer` is needed',
      ),
    ),
  ),
  buyer: Type.Optional(
    Nullable(Described(GuestBuyer, 'The buyer who gets the money, if it is not a stored one')),
  ),
  buyer_external_identifier: Type.Optional(Erasable(Nullable(Text(1, 200)))),
  merchant: Type.Optional(Nullable(Described(PayoutMerchant, 'The merchant that sends the money'))),
  connection_options: Type.Optional(Nullable(PayoutConnectionOptions)),
})
export type PayoutCreate = Static<typeof PayoutCreate>

export const PayoutPaymentService = Closed('PayoutPaymentService', {
  type: Type.Literal('payment-service'),
  id: Nullable(Uuid),
  method: Type.Literal('card'),
  payment_service_definition_id: Type.String(),
  display_name: Nullable(Type.String()),
})

export const PayoutSummary = Closed('PayoutSummary', {
  type: Type.Literal('payout'),
  id: Uuid,
  merchant_account_id: Type.String(),
  status: Described(
    PayoutStatus,
    '`pending`: the payment service has not decided, or its answer is not known yet',
  ),
  amount: Type.Integer({ description: 'In the smallest unit of the currency' }),
  currency: Currency,
  payment_method: TransactionPaymentMethod,
  payment_service: PayoutPaymentService,
  payment_service_payout_id: Nullable(Described(Text(1, 200), 'The id of the payout at the payment service')),
  buyer: Nullable(TransactionBuyer),
  merchant: Nullable(PayoutMerchantSummary),
  category: Nullable(PayoutCategory),
  external_identifier: Nullable(Text(1, 200)),
  created_at: Timestamp,
  updated_at: Timestamp,
})
export type PayoutSummary = Static<typeof PayoutSummary>

export const PayoutSummaries = Page('PayoutSummaries', PayoutSummary)

/** The filters of `GET /payouts` (semantics §1.11): all of them apply; several statuses are alternatives. */
export const PayoutQuery = Type.Object(
  {
    ...pageQuery(),
    ...timeParameters,
    external_identifier: Parameter(Type.String(), 'The merchant’s own reference'),
    payment_service_payout_id: Parameter(Type.String(), 'The id of the payout at the payment service'),
    status: Parameter(Type.Array(PayoutStatus), 'Any of these statuses'),
  },
  { additionalProperties: false },
)
export type PayoutQuery = Static<typeof PayoutQuery>
