import { type Static, Type } from 'typebox'
import {
  Amount,
  Closed,
  Country,
  Currency,
  Described,
  Erasable,
  FilterAmount,
  MapOf,
  Nullable,
  Open,
  Page,
  Parameter,
  Personal,
  pageQuery,
  Text,
  Timestamp,
  timeParameters,
  Uuid,
  Words,
} from '../api/schema.ts'
import { GuestBuyer, ShippingDetails, TransactionBuyer } from '../buyers/buyer.schema.ts'
import { CartItem } from '../checkout/cart-item.schema.ts'
import { TransactionIntent, TransactionPaymentSource } from '../checkout/payment-terms.schema.ts'
import { TransactionConnectionOptions } from '../connectors/contract/connection-options.schema.ts'
import { StatementDescriptor } from '../transactions/transaction.schema.ts'

export const PaymentLinkStatus = Words('active', 'completed', 'expired', 'processing')
export type PaymentLinkStatus = Static<typeof PaymentLinkStatus>

const Url = Type.String({ maxLength: 2048 })
const optional = <T extends Parameters<typeof Nullable>[0]>(schema: T) => Type.Optional(Nullable(schema))

/** `payment-link.rules.ts` has the rules that a schema cannot say. */
export const PaymentLinkCreate = Closed('PaymentLinkCreate', {
  amount: Described(Amount, 'In the smallest unit of the currency: 1299 is 12.99 USD'),
  country: Country,
  currency: Described(Currency, 'ISO 4217'),
  expires_at: optional(Described(Timestamp, 'When the link expires; absent: after 24 hours')),
  intent: Type.Optional(
    Described(
      TransactionIntent,
      '`capture` takes the money, `authorize` only reserves it; absent: the account’s `payment_link_intent`, else `authorize`',
    ),
  ),
  payment_source: Type.Optional(TransactionPaymentSource),
  store: Type.Optional(Described(Type.Boolean(), 'Whether the card is kept for the buyer of `buyer_id`')),
  buyer: optional(GuestBuyer),
  buyer_id: optional(
    Described(Uuid, 'The buyer whose stored payment methods the page offers, to everyone who has the URL'),
  ),
  external_identifier: optional(Text(1, 200)),
  statement_descriptor: optional(StatementDescriptor),
  metadata: optional(Erasable(Open)),
  cart_items: optional(Type.Array(CartItem)),
  connection_options: optional(Personal(TransactionConnectionOptions)),
  installment_count: optional(Type.Integer({ minimum: 1, maximum: 100 })),
  locale: optional(
    Described(
      Text(1, 50),
      'en, en-GB, de, es, fr, it, ja, nl, pt or pt-BR; absent: what the browser asks for',
    ),
  ),
  merchant_name: optional(Text(1, 100)),
  merchant_url: optional(Url),
  merchant_banner_url: optional(Url),
  merchant_color: optional(
    Described(Text(1, 100), 'A CSS colour: #rgb, #rrggbb, with alpha or without, or a name'),
  ),
  merchant_message: optional(Erasable(Text(1, 255))),
  merchant_terms_and_conditions_url: optional(Url),
  merchant_favicon_url: optional(Url),
  return_url: optional(
    Described(Erasable(Url), 'Where the buyer goes after paying; absent: to Railyard’s own page'),
  ),
})
export type PaymentLinkCreate = Static<typeof PaymentLinkCreate>

export const PaymentLink = Closed('PaymentLink', {
  type: Type.Literal('payment-link'),
  id: Uuid,
  url: Described(
    Type.String(),
    'The page that the buyer opens. Everyone who has the URL can pay, and sees the stored payment methods of `buyer_id`',
  ),
  status: Described(
    PaymentLinkStatus,
    '`active`: it can be paid. `processing`: a payment is under way, and no other can begin. `completed`: a payment through it succeeded, and took the money where the intent is `capture`. `expired`: by time, by call, or by ten declined payments',
  ),
  declines: Type.Integer({
    description:
      'How many payments through it were declined. With the tenth it expires: such a link is used to try cards',
  }),
  expires_at: Nullable(Timestamp),
  amount: Amount,
  country: Country,
  currency: Currency,
  intent: TransactionIntent,
  payment_source: TransactionPaymentSource,
  store: Type.Boolean(),
  buyer: Nullable(TransactionBuyer),
  buyer_id: Nullable(Uuid),
  shipping_details: Personal(Nullable(ShippingDetails)),
  external_identifier: Nullable(Text(1, 200)),
  statement_descriptor: Nullable(StatementDescriptor),
  metadata: Erasable(Nullable(MapOf(Type.String()))),
  cart_items: Nullable(Type.Array(CartItem)),
  connection_options: Personal(Nullable(MapOf(Type.Unsafe<unknown>({})))),
  installment_count: Nullable(Type.Integer({ minimum: 1, maximum: 100 })),
  locale: Nullable(Type.String()),
  merchant_name: Nullable(Text(1, 100)),
  merchant_url: Nullable(Type.String()),
  merchant_banner_url: Nullable(Type.String()),
  merchant_color: Nullable(Text(1, 100)),
  merchant_message: Erasable(Nullable(Text(1, 255))),
  merchant_terms_and_conditions_url: Nullable(Type.String()),
  merchant_favicon_url: Nullable(Type.String()),
  return_url: Erasable(Nullable(Type.String())),
  created_at: Timestamp,
  updated_at: Timestamp,
})
export type PaymentLink = Static<typeof PaymentLink>

export const PaymentLinks = Page('PaymentLinks', PaymentLink)

/** Values of one filter are alternatives; different filters all apply (semantics §1.11). */
export const PaymentLinkQuery = Type.Object(
  {
    ...pageQuery(),
    ...timeParameters,
    currency: Parameter(Type.Array(Currency), 'Any of these currencies'),
    amount_eq: Parameter(FilterAmount, 'The amount, in the smallest unit of the currency'),
    amount_gte: Parameter(FilterAmount, 'That amount or more'),
    amount_lte: Parameter(FilterAmount, 'That amount or less'),
    status: Parameter(Type.Array(PaymentLinkStatus), 'Any of these statuses'),
    buyer_search: Parameter(
      Personal(Type.Array(Type.String())),
      'Each value must be one of the buyer’s data exactly: name, e-mail address, telephone, address, identifiers',
    ),
  },
  { additionalProperties: false },
)
export type PaymentLinkQuery = Static<typeof PaymentLinkQuery>
