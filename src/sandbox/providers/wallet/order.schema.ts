import { type Static, Type } from 'typebox'
import { Words } from '../../../api/schema.ts'

const Money = Type.Object({ currency_code: Type.String(), value: Type.String() })
const someMoney = Type.Optional(Money)

const Breakdown = Type.Object({
  item_total: someMoney,
  shipping: someMoney,
  handling: someMoney,
  tax_total: someMoney,
  insurance: someMoney,
  shipping_discount: someMoney,
  discount: someMoney,
})
export type Breakdown = Static<typeof Breakdown>

export const PricedAmount = Type.Object({
  currency_code: Type.String(),
  value: Type.String(),
  breakdown: Type.Optional(Breakdown),
})
export type PricedAmount = Static<typeof PricedAmount>

export const ShippingOption = Type.Object({
  id: Type.String(),
  label: Type.String(),
  selected: Type.Boolean(),
  type: Type.Optional(Type.String()),
  amount: someMoney,
})
export type ShippingOption = Static<typeof ShippingOption>

export const Address = Type.Object({
  address_line_1: Type.Optional(Type.String()),
  address_line_2: Type.Optional(Type.String()),
  admin_area_2: Type.Optional(Type.String()),
  admin_area_1: Type.Optional(Type.String()),
  postal_code: Type.Optional(Type.String()),
  country_code: Type.String({ pattern: '^[A-Z][A-Z2]$' }),
})
export type Address = Static<typeof Address>

const Item = Type.Object({ name: Type.String(), quantity: Type.String(), unit_amount: Money })

const PurchaseUnit = Type.Object({
  reference_id: Type.Optional(Type.String()),
  custom_id: Type.Optional(Type.String()),
  description: Type.Optional(Type.String()),
  soft_descriptor: Type.Optional(Type.String()),
  amount: PricedAmount,
  items: Type.Optional(Type.Array(Item)),
  shipping: Type.Optional(
    Type.Object({
      name: Type.Optional(Type.Object({ full_name: Type.Optional(Type.String()) })),
      address: Type.Optional(Address),
      options: Type.Optional(Type.Array(ShippingOption)),
    }),
  ),
})
export type PurchaseUnit = Static<typeof PurchaseUnit>

const CallbackConfig = Type.Object({
  callback_url: Type.String(),
  callback_events: Type.Array(Words('SHIPPING_ADDRESS', 'SHIPPING_OPTIONS')),
})

export const ExperienceContext = Type.Object({
  return_url: Type.Optional(Type.String()),
  cancel_url: Type.Optional(Type.String()),
  user_action: Type.Optional(Words('PAY_NOW', 'CONTINUE')),
  shipping_preference: Type.Optional(Words('SET_PROVIDED_ADDRESS', 'GET_FROM_FILE', 'NO_SHIPPING')),
  brand_name: Type.Optional(Type.String()),
  locale: Type.Optional(Type.String()),
  order_update_callback_config: Type.Optional(CallbackConfig),
})
export type ExperienceContext = Static<typeof ExperienceContext>

/** The members of the body of POST /v2/checkout/orders that the simulator reads. */
export const OrderRequest = Type.Object({
  intent: Words('AUTHORIZE', 'CAPTURE'),
  purchase_units: Type.Array(PurchaseUnit, { minItems: 1, maxItems: 1 }),
  /** Absent: a stored account is to pay. */
  payment_source: Type.Optional(
    Type.Object({
      paypal: Type.Object({
        experience_context: ExperienceContext,
        attributes: Type.Optional(
          Type.Object({ vault: Type.Object({ store_in_vault: Type.Literal('ON_SUCCESS') }) }),
        ),
      }),
    }),
  ),
})
export type OrderRequest = Static<typeof OrderRequest>

/** The body of …/authorize and …/capture: the stored account that pays, or nothing. */
export const PayRequest = Type.Object({
  payment_source: Type.Optional(Type.Object({ paypal: Type.Object({ vault_id: Type.String() }) })),
})

/** The change of an order that the simulator knows. */
export const OrderPatch = Type.Tuple([
  Type.Object({
    op: Type.Literal('replace'),
    path: Type.Literal('/intent'),
    value: Words('AUTHORIZE', 'CAPTURE'),
  }),
])

export const CaptureRequest = Type.Object({
  amount: someMoney,
  invoice_id: Type.Optional(Type.String()),
  final_capture: Type.Optional(Type.Boolean()),
})

export const RefundRequest = Type.Object({ amount: someMoney, invoice_id: Type.Optional(Type.String()) })

/** The answer of a merchant's listener to a shipping callback (API §4.12). */
export const CallbackAnswer = Type.Object({
  purchase_units: Type.Union([Type.Array(Type.Unknown(), { minItems: 1 }), Type.Object({})]),
  // API §4.12 allows the options beside the units and in the first of them
  shipping_options: Type.Optional(Type.Array(ShippingOption)),
})
export const UpdatedUnit = Type.Object({
  amount: PricedAmount,
  shipping_options: Type.Optional(Type.Array(ShippingOption)),
})
