import { type Static, Type } from 'typebox'
import {
  Amount,
  CardExpiry,
  Closed,
  Country,
  Currency,
  Described,
  Erasable,
  MapOf,
  Nullable,
  Personal,
  Text,
  Timestamp,
  Uuid,
} from '../../api/schema.ts'
import { GuestBuyer } from '../../buyers/buyer.schema.ts'
import { CardScheme, CardType, Method } from '../../connectors/contract/method.schema.ts'
import { providerTokenMembers } from '../../vault/payment-methods/payment-method-input.schema.ts'
import { Airline } from '../airline.schema.ts'
import { Bin } from '../cards/card-details.schema.ts'
import { CartItem } from '../cart-item.schema.ts'
import { TransactionIntent, TransactionPaymentSource } from '../payment-terms.schema.ts'

/** The values for the transaction that a session answers. */
const shownValues = {
  cart_items: Nullable(Type.Array(CartItem)),
  metadata: Erasable(Nullable(MapOf(Type.String()))),
  buyer: Nullable(GuestBuyer),
  buyer_id: Nullable(
    Described(
      Uuid,
      'The stored buyer that the session is for: only their stored payment methods can be chosen in it, and only they can pay with it',
    ),
  ),
  airline: Nullable(Airline),
  amount: Nullable(Amount),
  currency: Nullable(Currency),
  payment_service_id: Nullable(Uuid),
}

/** The values for the transaction that a session stores and does not answer (semantics §9). */
const hiddenValues = {
  country: Nullable(Country),
  is_subsequent_payment: Nullable(Type.Boolean()),
  merchant_initiated: Nullable(Type.Boolean()),
  payment_source: Nullable(TransactionPaymentSource),
  intent: Nullable(TransactionIntent),
}

/** The values that a transaction takes from its session if its request omits them. */
export const CheckoutSessionValues = Type.Object({ ...shownValues, ...hiddenValues })
export type CheckoutSessionValues = Static<typeof CheckoutSessionValues>

/** Omitted members stay as they are, null clears (semantics §1.7). */
export const CheckoutSessionUpdate = Closed('CheckoutSessionUpdate', {
  ...Type.Partial(CheckoutSessionValues).properties,
  expires_in: Type.Optional(
    Described(
      Type.Number({ minimum: 3_600, maximum: 86_400 }),
      'For how many seconds from now the session lives; when it is created 3600 where it is absent',
    ),
  ),
})
export type CheckoutSessionUpdate = Static<typeof CheckoutSessionUpdate>

/** Some languages write an empty object as `[]`. */
export const CheckoutSessionCreate = Type.Union([
  CheckoutSessionUpdate,
  Type.Array(Closed('BaseModel', {}), { maxItems: 0 }),
  Type.Null(),
])

export const CheckoutSessionPaymentMethod = Closed('CheckoutSessionPaymentMethod', {
  type: Type.Literal('payment-method'),
  id: Nullable(Described(Uuid, 'Of a stored payment method; null where the buyer entered something else')),
  details: Nullable(
    Closed('CheckoutSessionPaymentMethodDetails', {
      bin: Nullable(Type.String()),
      card_country: Nullable(Country),
      card_type: Nullable(CardType),
      card_issuer_name: Nullable(Type.String()),
    }),
  ),
  label: Nullable(
    Described(Type.String(), 'The last four digits of a card, or what the method shows instead'),
  ),
  method: Method,
  scheme: Nullable(CardScheme),
  fingerprint: Erasable(
    Nullable(
      Described(
        Type.String(),
        'Of a stored card; null for a card that was only entered, so that a browser cannot try numbers',
      ),
    ),
  ),
})
export type CheckoutSessionPaymentMethod = Static<typeof CheckoutSessionPaymentMethod>

export const CheckoutSession = Closed('CheckoutSession', {
  type: Type.Literal('checkout-session'),
  id: Uuid,
  ...shownValues,
  expires_at: Timestamp,
  payment_method: Nullable(
    Described(CheckoutSessionPaymentMethod, 'What the buyer entered; null until they have'),
  ),
})
export type CheckoutSession = Static<typeof CheckoutSession>

const securityCode = Type.Optional(
  Nullable(
    Described(
      Type.String({ pattern: '^\\d+$', minLength: 3, maxLength: 4 }),
      'Kept for the first attempt to pay, never shown',
    ),
  ),
)

export const CheckoutSessionCardPaymentMethod = Closed('CheckoutSessionCardPaymentMethod', {
  method: Type.Optional(Type.Literal('card')),
  number: Type.String({ pattern: '^\\d+$', minLength: 13, maxLength: 19 }),
  expiration_date: CardExpiry,
  security_code: securityCode,
})
export type CheckoutSessionCardPaymentMethod = Static<typeof CheckoutSessionCardPaymentMethod>

export const CheckoutSessionClickToPayPaymentMethod = Closed('CheckoutSessionClickToPayPaymentMethod', {
  method: Type.Optional(Type.Literal('click-to-pay')),
  merchant_transaction_id: Type.String(),
  src_correlation_id: Type.String(),
  src_dpa_id: Type.String(),
  src_cx_flow_id: Type.Optional(Nullable(Type.String())),
})
export type CheckoutSessionClickToPayPaymentMethod = Static<typeof CheckoutSessionClickToPayPaymentMethod>

export const CheckoutSessionIdPaymentMethod = Closed('CheckoutSessionIdPaymentMethod', {
  method: Type.Optional(Type.Literal('id')),
  id: Uuid,
  security_code: securityCode,
})
export type CheckoutSessionIdPaymentMethod = Static<typeof CheckoutSessionIdPaymentMethod>

/** It pays at the payment service that the session's merchant chose (`payment_service_id` of the session). */
export const CheckoutSessionProviderToken = Closed('CheckoutSessionProviderToken', providerTokenMembers)
export type CheckoutSessionProviderToken = Static<typeof CheckoutSessionProviderToken>

export const CheckoutSessionSecureFields = Closed('CheckoutSessionSecureFields', {
  payment_method: Type.Union([
    CheckoutSessionCardPaymentMethod,
    CheckoutSessionClickToPayPaymentMethod,
    CheckoutSessionIdPaymentMethod,
    CheckoutSessionProviderToken,
  ]),
  postal_code: Type.Optional(
    Personal(Nullable(Described(Text(1, 50), 'Of the billing address, for the issuer’s check'))),
  ),
})
export type CheckoutSessionSecureFields = Static<typeof CheckoutSessionSecureFields>

export const CheckoutSessionThreeDSMethod = Closed('CheckoutSessionThreeDSMethod', {
  type: Type.Literal('three-ds-method'),
  method: Nullable(
    Described(
      Closed('ThreeDSMethod', {
        method_url: Described(Type.String(), 'The issuer’s page, to which a hidden frame posts'),
        method_data: Described(Type.String(), 'The field `threeDSMethodData` of the form'),
        three_ds_server_transaction_id: Described(
          Uuid,
          'Of the authentication that follows: the session’s payment uses it',
        ),
      }),
      'Null: there is nothing to run, and the payment can be made',
    ),
  ),
})
export type CheckoutSessionThreeDSMethod = Static<typeof CheckoutSessionThreeDSMethod>

export const CheckoutSessionCardDetailsRequest = Closed('CheckoutSessionCardDetailsRequest', { bin: Bin })

export const CheckoutSessionCardDetails = Closed('CheckoutSessionCardDetails', {
  bin: Type.String(),
  card_type: Nullable(CardType),
  scheme: Nullable(CardScheme),
  scheme_icon_url: Nullable(Type.String()),
  additional_schemes: Type.Array(CardScheme),
})
export type CheckoutSessionCardDetails = Static<typeof CheckoutSessionCardDetails>
