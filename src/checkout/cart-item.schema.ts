import { type Static, Type } from 'typebox'
import { Amount, Closed, Country, Erasable, Nullable, Text, Words } from '../api/schema.ts'

export const ProductType = Words(
  'physical',
  'discount',
  'shipping_fee',
  'sales_tax',
  'digital',
  'gift_card',
  'store_credit',
  'surcharge',
)
export type ProductType = Static<typeof ProductType>

export const CartItem = Closed('CartItem', {
  name: Erasable(Text(1, 255)),
  quantity: Type.Integer({ maximum: 99999999, exclusiveMinimum: 0 }),
  unit_amount: Amount,
  discount_amount: Type.Optional(Nullable(Amount)),
  tax_amount: Type.Optional(Nullable(Amount)),
  external_identifier: Type.Optional(Nullable(Text(1, 200))),
  sku: Type.Optional(Nullable(Text(1, 200))),
  upc: Type.Optional(Nullable(Text(1, 50))),
  product_url: Type.Optional(Erasable(Nullable(Type.String()))),
  image_url: Type.Optional(Erasable(Nullable(Type.String()))),
  categories: Type.Optional(Nullable(Type.Array(Text(1, 50)))),
  product_type: Type.Optional(Nullable(ProductType)),
  /** API §2.14 has this name; the same as `product_type` (semantics §0.5). */
  type: Type.Optional(Nullable(ProductType)),
  seller_country: Type.Optional(Nullable(Country)),
  tax_exempt: Type.Optional(Nullable(Type.Boolean())),
  unit_of_measure: Type.Optional(Nullable(Text(1, 50))),
  commodity_code: Type.Optional(Nullable(Text(1, 50))),
  description: Type.Optional(Erasable(Nullable(Text(1, 255)))),
  duty_amount: Type.Optional(Nullable(Amount)),
  shipping_amount: Type.Optional(Nullable(Amount)),
})
export type CartItem = Static<typeof CartItem>
