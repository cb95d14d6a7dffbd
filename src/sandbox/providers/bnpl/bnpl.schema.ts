import { type Static, Type } from 'typebox'

const Amount = Type.Integer({ minimum: 0, maximum: 200_000_000 })
const Optional = Type.Optional(Type.String())

const OrderLine = Type.Object({
  name: Type.String({ minLength: 1, maxLength: 255 }),
  type: Optional,
  quantity: Type.Integer({ minimum: 0 }),
  unit_price: Type.Integer({ maximum: 200_000_000 }),
  total_amount: Type.Integer({ maximum: 200_000_000 }),
  total_discount_amount: Type.Optional(Type.Integer({ minimum: 0 })),
})
export type OrderLine = Static<typeof OrderLine>

/** The basket. Unknown members are kept. */
export const Basket = Type.Object({
  purchase_country: Type.String({ pattern: '^[A-Za-z]{2}$' }),
  purchase_currency: Type.String({ pattern: '^[A-Za-z]{3}$' }),
  order_amount: Amount,
  order_lines: Type.Array(OrderLine, { minItems: 1, maxItems: 1000 }),
})
export type Basket = Static<typeof Basket>

const Person = Type.Optional(
  Type.Object({
    email: Optional,
    given_name: Optional,
    family_name: Optional,
    street_address: Optional,
    street_address2: Optional,
    postal_code: Optional,
    city: Optional,
    region: Optional,
    country: Optional,
  }),
)
const Common = {
  ...Basket.properties,
  billing_address: Person,
  shipping_address: Person,
  merchant_reference1: Optional,
  merchant_reference2: Optional,
}

export const SessionBody = Type.Object({
  ...Common,
  merchant_urls: Type.Optional(Type.Object({ authorization: Optional, notification: Optional })),
})
export type SessionBody = Static<typeof SessionBody>

/** An update has the members that it changes. */
export const SessionUpdate = Type.Partial(SessionBody)

export const OrderBody = Type.Object({
  ...Common,
  auto_capture: Type.Optional(Type.Boolean()),
  merchant_urls: Type.Optional(Type.Object({ notification: Optional })),
})
export type OrderBody = Static<typeof OrderBody>

export const PageBody = Type.Object({
  payment_session_url: Type.String(),
  merchant_urls: Type.Optional(Type.Record(Type.String(), Type.String())),
})

/** The request of the express button: the merchant's client id and the cart. */
export const ExpressBody = Type.Object({
  ...Basket.properties,
  client_id: Type.String({ minLength: 1 }),
  approved: Type.Boolean(),
})

export const ApprovalBody = Type.Object({ approved: Type.Boolean() })

const Some = Type.Integer({ minimum: 1, maximum: 200_000_000 })
export const CaptureBody = Type.Object({ captured_amount: Some, reference: Optional })
export const RefundBody = Type.Object({ refunded_amount: Some, reference: Optional })
