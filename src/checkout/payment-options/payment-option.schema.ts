import { type Static, Type } from 'typebox'
import { Closed, Country, Currency, Described, MapOf, Nullable, Text } from '../../api/schema.ts'
import { Mode } from '../../connectors/contract/method.schema.ts'
import { CartItem } from '../cart-item.schema.ts'

export const PaymentOptionRequest = Closed('PaymentOptionRequest', {
  metadata: Type.Optional(Nullable(MapOf(Type.String()))),
  country: Type.Optional(Nullable(Described(Country, 'Of the payment; absent: any'))),
  currency: Type.Optional(Nullable(Described(Currency, 'Of the payment; absent: any'))),
  amount: Type.Optional(
    Nullable(
      Described(
        Type.Integer(),
        'In the smallest unit of the currency; 0 leaves out what cannot verify a method without a charge',
      ),
    ),
  ),
  locale: Type.Optional(
    Described(
      Text(1, 50),
      'The language of the labels, e.g. `de` or `pt-BR`; absent, or one without translations: English',
    ),
  ),
  cart_items: Type.Optional(Nullable(Type.Array(CartItem))),
})
export type PaymentOptionRequest = Static<typeof PaymentOptionRequest>

export const WalletPaymentOptionContext = Closed('WalletPaymentOptionContext', {
  merchant_name: Type.String(),
  supported_schemes: Type.Array(Type.String()),
})

export const GooglePayPaymentOptionContext = Closed('GooglePayPaymentOptionContext', {
  merchant_name: Type.String(),
  supported_schemes: Type.Array(Type.String()),
  gateway: Type.String(),
  gateway_merchant_id: Type.String(),
})

export const PaymentOptionContext = Closed('PaymentOptionContext', {
  approval_ui: Nullable(
    Closed('PaymentOptionContextApprovalUI', {
      height: Nullable(Type.String()),
      width: Nullable(Type.String()),
    }),
  ),
  required_fields: Nullable(MapOf(Type.Union([Type.Boolean(), MapOf(Type.Boolean())]))),
  redirect_requires_popup: Type.Boolean(),
  requires_tokenized_redirect_popup: Type.Boolean(),
})

export const PaymentOption = Closed('PaymentOption', {
  type: Type.Literal('payment-option'),
  method: Type.String(),
  icon_url: Nullable(Text(1, 1500)),
  mode: Mode,
  label: Nullable(Text(1, 200)),
  can_store_payment_method: Type.Boolean(),
  can_delay_capture: Type.Boolean(),
  context: Nullable(
    Type.Union([GooglePayPaymentOptionContext, WalletPaymentOptionContext, PaymentOptionContext]),
  ),
})
export type PaymentOption = Static<typeof PaymentOption>

export const PaymentOptions = Type.Object({ items: Type.Array(PaymentOption) }, { title: 'PaymentOptions' })
