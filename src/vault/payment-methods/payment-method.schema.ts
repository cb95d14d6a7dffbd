import { type Static, Type } from 'typebox'
import {
  CardExpiry,
  Closed,
  Country,
  Currency,
  Described,
  Erasable,
  Nullable,
  Page,
  Text,
  Timestamp,
  Uuid,
  Words,
} from '../../api/schema.ts'
import { Buyer } from '../../buyers/buyer.schema.ts'
import { CardScheme, CardType, Method, Mode } from '../../connectors/contract/method.schema.ts'

export const PaymentMethodStatus = Words(
  'processing',
  'buyer_approval_required',
  'succeeded',
  'failed',
  'paused',
)
export type PaymentMethodStatus = Static<typeof PaymentMethodStatus>

/** What is known of a card from its number's first digits. */
export const PaymentMethodDetailsCard = Closed('PaymentMethodDetailsCard', {
  bin: Nullable(Type.String({ pattern: '^\\d+$', minLength: 6, maxLength: 8 })),
  card_type: Nullable(CardType),
  card_issuer_name: Nullable(Type.String()),
})

const summary = {
  type: Type.Literal('payment-method'),
  approval_url: Erasable(Nullable(Type.String())),
  country: Nullable(Country),
  currency: Nullable(Currency),
  details: Nullable(PaymentMethodDetailsCard),
  expiration_date: Nullable(CardExpiry),
  fingerprint: Erasable(
    Described(
      Nullable(Type.String()),
      'The same for the same card within a merchant account; null for a browser',
    ),
  ),
  label: Described(
    Nullable(Text(0, 320)),
    'The name by which a buyer recognizes it: the last four digits of a card',
  ),
  last_replaced_at: Nullable(Timestamp),
  method: Method,
  mode: Nullable(Mode),
  scheme: Nullable(CardScheme),
  id: Uuid,
  merchant_account_id: Type.String(),
  additional_schemes: Nullable(Type.Array(CardScheme)),
  cit_last_used_at: Nullable(Timestamp),
  cit_usage_count: Described(Type.Integer(), 'The payments among them that the buyer started'),
  has_replacement: Described(
    Type.Boolean(),
    'The account updater has newer details; they are used when the card is refused as invalid',
  ),
  last_used_at: Nullable(Timestamp),
  usage_count: Described(Type.Integer(), 'The payments with it, declined ones included'),
  scheme_transaction_id: Nullable(Type.String()),
  scheme_transaction_id_scheme: Nullable(CardScheme),
  transaction_link_id: Nullable(Type.String()),
}

/** As a buyer's list shows it (API §2.8). */
export const PaymentMethodSummary = Closed('PaymentMethodSummary', summary)
export type PaymentMethodSummary = Static<typeof PaymentMethodSummary>

export const PaymentMethodSummaries = Type.Object(
  { items: Type.Array(PaymentMethodSummary) },
  { title: 'PaymentMethodSummaries' },
)

export const PaymentMethod = Closed('PaymentMethod', {
  ...summary,
  buyer: Nullable(Buyer),
  external_identifier: Erasable(Nullable(Text(1, 200))),
  status: PaymentMethodStatus,
  created_at: Timestamp,
  updated_at: Timestamp,
})
export type PaymentMethod = Static<typeof PaymentMethod>

export const PaymentMethods = Page('PaymentMethods', PaymentMethod)

export const PaymentMethodUpdate = Closed('PaymentMethodUpdate', {
  expiration_date: Type.Optional(Nullable(CardExpiry)),
  scheme_transaction_id: Type.Optional(Nullable(Type.String({ maxLength: 100 }))),
  scheme_transaction_id_scheme: Type.Optional(Nullable(CardScheme)),
  transaction_link_id: Type.Optional(Nullable(Type.String({ maxLength: 100 }))),
})
export type PaymentMethodUpdate = Static<typeof PaymentMethodUpdate>
