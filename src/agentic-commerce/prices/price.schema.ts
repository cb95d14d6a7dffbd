import { type Static, Type } from 'typebox'
import { Closed, Described, Text, Timestamp, Words } from '../../api/schema.ts'
import {
  AgenticAddress,
  AgenticTotal,
  MinorUnits,
  ProtocolCurrency,
  Sentence,
  selectedOptions,
  Uri,
  Word,
} from '../protocol-parts.schema.ts'

// what a merchant answers when Railyard asks for the price of a cart: the parts of the protocol's checkout session
// that the merchant decides

const totals = Type.Array(AgenticTotal, { maxItems: 50 })
const contentType = Words('plain', 'markdown')

const AgenticItem = Closed('AgenticItem', {
  id: Word,
  name: Type.Optional(Text(1, 500)),
  unit_amount: Type.Optional(MinorUnits),
})

export const AgenticLineItem = Closed('AgenticLineItem', {
  id: Word,
  item: AgenticItem,
  quantity: Type.Integer({ minimum: 1, maximum: 1_000_000 }),
  name: Type.Optional(Text(1, 500)),
  description: Type.Optional(Sentence),
  images: Type.Optional(Type.Array(Uri, { maxItems: 20 })),
  unit_amount: Type.Optional(MinorUnits),
  disclosures: Type.Optional(
    Type.Array(
      Closed('AgenticDisclosure', {
        type: Words('disclaimer'),
        content_type: contentType,
        content: Sentence,
      }),
      { maxItems: 20 },
    ),
  ),
  custom_attributes: Type.Optional(
    Type.Array(Closed('AgenticAttribute', { display_name: Word, value: Text(0, 1_000) }), { maxItems: 50 }),
  ),
  marketplace_seller_details: Type.Optional(Closed('AgenticMarketplaceSeller', { name: Word })),
  product_id: Type.Optional(Word),
  sku: Type.Optional(Word),
  variant_id: Type.Optional(Word),
  category: Type.Optional(Word),
  tags: Type.Optional(Type.Array(Word, { maxItems: 50 })),
  availability_status: Type.Optional(
    Words('in_stock', 'low_stock', 'out_of_stock', 'backorder', 'pre_order'),
  ),
  available_quantity: Type.Optional(Type.Integer({ minimum: 0 })),
  max_quantity_per_order: Type.Optional(Type.Integer({ minimum: 1 })),
  fulfillable_on: Type.Optional(Timestamp),
  variant_options: Type.Optional(
    Type.Array(Closed('AgenticVariantOption', { name: Word, value: Word }), { maxItems: 50 }),
  ),
  discount_details: Type.Optional(
    Type.Array(
      Closed('AgenticDiscountDetail', {
        code: Type.Optional(Word),
        type: Words('percentage', 'fixed', 'bogo', 'volume'),
        amount: MinorUnits,
        description: Type.Optional(Sentence),
        source: Type.Optional(Words('coupon', 'automatic', 'loyalty')),
      }),
      { maxItems: 50 },
    ),
  ),
  tax_exempt: Type.Optional(Type.Boolean()),
  tax_exemption_reason: Type.Optional(Word),
  parent_id: Type.Optional(Word),
  totals,
})

const option = {
  id: Word,
  title: Text(1, 500),
  description: Type.Optional(Sentence),
  totals,
}

const AgenticFulfillmentOption = Type.Union([
  Closed('AgenticShipping', {
    type: Type.Literal('shipping'),
    ...option,
    carrier: Type.Optional(Word),
    earliest_delivery_time: Type.Optional(Timestamp),
    latest_delivery_time: Type.Optional(Timestamp),
  }),
  Closed('AgenticDigitalDelivery', { type: Type.Literal('digital'), ...option }),
  Closed('AgenticPickup', {
    type: Type.Literal('pickup'),
    ...option,
    location: Closed('AgenticLocation', {
      name: Word,
      address: AgenticAddress,
      phone: Type.Optional(Text(1, 50)),
      instructions: Type.Optional(Sentence),
    }),
    pickup_type: Type.Optional(Words('in_store', 'curbside', 'locker')),
    ready_by: Type.Optional(Timestamp),
    pickup_by: Type.Optional(Timestamp),
  }),
  Closed('AgenticLocalDelivery', {
    type: Type.Literal('local_delivery'),
    ...option,
    delivery_window: Type.Optional(Closed('AgenticWindow', { start: Timestamp, end: Timestamp })),
    service_area: Type.Optional(
      Closed('AgenticServiceArea', {
        radius_miles: Type.Optional(Type.Number({ minimum: 0 })),
        center_postal_code: Type.Optional(Text(1, 20)),
      }),
    ),
  }),
])

const message = {
  severity: Type.Optional(Words('info', 'low', 'medium', 'high', 'critical')),
  resolution: Type.Optional(Words('recoverable', 'requires_buyer_input', 'requires_buyer_review')),
  param: Type.Optional(Described(Text(1, 500), 'What it is about, as a JSONPath')),
  content_type: contentType,
  content: Sentence,
}

const discountCodes = [
  'discount_code_expired',
  'discount_code_invalid',
  'discount_code_already_applied',
  'discount_code_combination_disallowed',
  'discount_code_minimum_not_met',
  'discount_code_user_not_logged_in',
  'discount_code_user_ineligible',
  'discount_code_usage_limit_reached',
] as const

export const AgenticMessage = Type.Union([
  Closed('AgenticInfo', { type: Type.Literal('info'), ...message }),
  Closed('AgenticWarning', {
    type: Type.Literal('warning'),
    code: Words(
      'low_stock',
      'high_demand',
      'shipping_delay',
      'price_change',
      'expiring_promotion',
      'limited_availability',
      ...discountCodes,
    ),
    ...message,
  }),
  Closed('AgenticProblem', {
    type: Type.Literal('error'),
    code: Words(
      'missing',
      'invalid',
      'out_of_stock',
      'payment_declined',
      'requires_sign_in',
      'requires_3ds',
      'low_stock',
      'quantity_exceeded',
      'coupon_invalid',
      'coupon_expired',
      'minimum_not_met',
      'maximum_exceeded',
      'region_restricted',
      'age_verification_required',
      'approval_required',
      'unsupported',
      'not_found',
      'conflict',
      'rate_limited',
      'expired',
      'intervention_required',
    ),
    ...message,
  }),
])
export type AgenticMessage = Static<typeof AgenticMessage>

const AgenticLink = Closed('AgenticLink', {
  type: Words(
    'terms_of_use',
    'privacy_policy',
    'return_policy',
    'shipping_policy',
    'contact_us',
    'about_us',
    'faq',
    'support',
  ),
  title: Type.Optional(Word),
  url: Uri,
})

const AgenticDiscounts = Closed('AgenticDiscounts', {
  codes: Type.Optional(Type.Array(Word, { maxItems: 20 })),
  applied: Type.Optional(
    Type.Array(
      Closed('AgenticAppliedDiscount', {
        id: Word,
        code: Type.Optional(Word),
        coupon: Closed('AgenticCoupon', {
          id: Word,
          name: Word,
          percent_off: Type.Optional(Type.Number({ minimum: 0, maximum: 100 })),
          amount_off: Type.Optional(MinorUnits),
          currency: Type.Optional(Type.String({ pattern: '^[a-z]{3}$' })),
        }),
        amount: MinorUnits,
        automatic: Type.Optional(Type.Boolean()),
      }),
      { maxItems: 20 },
    ),
  ),
  rejected: Type.Optional(
    Type.Array(
      Closed('AgenticRejectedDiscount', {
        code: Word,
        reason: Words(...discountCodes),
        message: Type.Optional(Sentence),
      }),
      { maxItems: 20 },
    ),
  ),
})

/** The members of a price that the platform is shown as they are. */
export const pricedParts = {
  line_items: Described(
    Type.Array(AgenticLineItem, { minItems: 1, maxItems: 250 }),
    'What is sold, with its price',
  ),
  totals: Described(totals, 'What the cart costs; the one of the type `total` is what the buyer pays'),
  fulfillment_options: Described(
    Type.Array(AgenticFulfillmentOption, { maxItems: 50 }),
    'How the items can reach the buyer',
  ),
  selected_fulfillment_options: selectedOptions,
  messages: Described(
    Type.Array(AgenticMessage, { maxItems: 50 }),
    'What the buyer or the platform should know',
  ),
  links: Described(Type.Array(AgenticLink, { maxItems: 20 }), 'Terms and policies'),
  discounts: Type.Optional(Described(AgenticDiscounts, 'Which discount codes were taken, and which not')),
  marketing_consent_options: Type.Optional(
    Described(
      Type.Array(
        Closed('AgenticConsentOption', {
          channel: Word,
          display_text: Sentence,
          privacy_policy_url: Uri,
          is_subscribed: Type.Optional(Type.Boolean()),
        }),
        { maxItems: 10 },
      ),
      'The channels for which the merchant asks for consent to marketing',
    ),
  ),
}

/** The order that the merchant makes of a checkout, once the merchant has confirmed it. */
export const AgenticOrderReference = Closed('AgenticOrderReference', {
  id: Described(
    Text(1, 200),
    'The merchant’s id of the order; it becomes the payment’s `external_identifier`',
  ),
  permalink_url: Described(
    Uri,
    'Where the buyer sees the order, and where an issuer’s challenge leads back to',
  ),
  order_number: Type.Optional(Word),
  estimated_delivery: Type.Optional(
    Closed('AgenticEstimatedDelivery', { earliest: Timestamp, latest: Timestamp }),
  ),
  confirmation: Type.Optional(
    Closed('AgenticConfirmation', {
      confirmation_number: Type.Optional(Word),
      confirmation_email_sent: Type.Optional(Type.Boolean()),
      receipt_url: Type.Optional(Uri),
      invoice_number: Type.Optional(Word),
    }),
  ),
  support: Type.Optional(
    Closed('AgenticSupport', {
      email: Type.Optional(Word),
      phone: Type.Optional(Text(1, 50)),
      hours: Type.Optional(Word),
      help_center_url: Type.Optional(Uri),
    }),
  ),
})
export type AgenticOrderReference = Static<typeof AgenticOrderReference>

export const Price = Closed('AgenticPrice', {
  status: Words('ready_for_payment', 'not_ready_for_payment'),
  currency: ProtocolCurrency,
  ...pricedParts,
  order: Type.Optional(AgenticOrderReference),
})
export type Price = Static<typeof Price>
