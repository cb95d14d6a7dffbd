import { Type } from 'typebox'
import { Closed, Described, Erasable, Open, Text, Timestamp, Words } from '../api/schema.ts'
import { HIGHEST_CEILING } from '../api/values/amount-ceiling.ts'

// the shapes of the Agentic Commerce Protocol (agentic_checkout, 2026-04-17) that platforms and merchants both
// use, with bounds where it has none

/** In the smallest unit of the currency. The protocol has no negative amounts: the type of a total tells its sign. */
export const MinorUnits = Type.Integer({ minimum: 0, maximum: HIGHEST_CEILING })
export const Word = Text(1, 255)
export const Sentence = Text(0, 5_000)
export const Uri = Type.String({ maxLength: 2_048, pattern: '^https?://[!-~]+$' })
/** ISO 4217; the protocol writes it in small letters. */
export const ProtocolCurrency = Type.String({ pattern: '^[A-Za-z]{3}$' })

const Email = Type.String({ maxLength: 254, pattern: '^[^\\s@"<>]+@[A-Za-z0-9-]+(\\.[A-Za-z0-9-]+)*$' })

const line = Erasable(Text(1, 256))

/** Of a buyer, and of places where a buyer picks up. */
export const AgenticAddress = Closed('AgenticAddress', {
  name: line,
  line_one: line,
  line_two: Type.Optional(Erasable(Text(0, 256))),
  city: line,
  state: Erasable(Text(0, 256)),
  country: Described(Type.String({ pattern: '^[A-Z]{2}$' }), 'ISO 3166-1 alpha-2'),
  postal_code: Erasable(Text(0, 20)),
})

const AgenticCompany = Closed('AgenticCompany', {
  name: Word,
  tax_id: Type.Optional(Word),
  department: Type.Optional(Word),
  cost_center: Type.Optional(Word),
})

const AgenticLoyalty = Closed('AgenticLoyalty', {
  tier: Type.Optional(Word),
  points_balance: Type.Optional(Type.Integer()),
  member_since: Type.Optional(Timestamp),
})

const AgenticTaxExemption = Closed('AgenticTaxExemption', {
  certificate_id: Word,
  certificate_type: Words('resale', 'exempt_organization', 'government'),
  exempt_regions: Type.Optional(Type.Array(Word, { maxItems: 100 })),
  expires_at: Type.Optional(Timestamp),
})

export const AgenticBuyer = Closed('AgenticBuyer', {
  first_name: Type.Optional(Word),
  last_name: Type.Optional(Word),
  full_name: Type.Optional(Word),
  email: Email,
  phone_number: Type.Optional(Text(1, 50)),
  customer_id: Type.Optional(Word),
  account_type: Type.Optional(Words('guest', 'registered', 'business')),
  authentication_status: Type.Optional(Words('authenticated', 'guest', 'requires_signin')),
  company: Type.Optional(AgenticCompany),
  loyalty: Type.Optional(AgenticLoyalty),
  tax_exemption: Type.Optional(AgenticTaxExemption),
})

export const AgenticFulfillmentDetails = Closed('AgenticFulfillmentDetails', {
  name: Type.Optional(Text(1, 256)),
  phone_number: Type.Optional(Text(1, 50)),
  email: Type.Optional(Email),
  address: Type.Optional(AgenticAddress),
})

export const AgenticFulfillmentGroup = Closed('AgenticFulfillmentGroup', {
  id: Word,
  item_ids: Type.Array(Word, { maxItems: 250 }),
  destination_type: Words('shipping', 'pickup', 'local_delivery', 'digital'),
  fulfillment_details: Type.Optional(AgenticFulfillmentDetails),
  location_id: Type.Optional(Word),
  instructions: Type.Optional(Sentence),
})

export const AgenticSelectedOption = Closed('AgenticSelectedOption', {
  type: Words('shipping', 'digital', 'pickup', 'local_delivery'),
  option_id: Word,
  item_ids: Type.Array(Word, { maxItems: 250 }),
})

/** What may tell of the buyer: every reader of the checkout gets it, and an erasure removes it. */
export const aboutBuyer = {
  buyer: Type.Optional(Erasable(Described(AgenticBuyer, 'The buyer'))),
  fulfillment_details: Type.Optional(
    Erasable(Described(AgenticFulfillmentDetails, 'Who gets the items, and where')),
  ),
  fulfillment_groups: Type.Optional(
    Erasable(
      Described(
        Type.Array(AgenticFulfillmentGroup, { maxItems: 50 }),
        'Items that are sent together, where the platform groups them',
      ),
    ),
  ),
}

export const selectedOptions = Type.Optional(
  Described(
    Type.Array(AgenticSelectedOption, { maxItems: 50 }),
    'The fulfilment options that the buyer has chosen',
  ),
)

/** A checkout's terms, which the platform sends when it creates it and the merchant gets with each price. */
export const checkoutTerms = {
  locale: Type.Optional(Described(Text(1, 35), 'Such as en-US')),
  timezone: Type.Optional(Described(Text(1, 64), 'An IANA time zone')),
  quote_id: Type.Optional(Described(Word, 'The merchant’s quote that the cart is from')),
  metadata: Type.Optional(Erasable(Described(Open, 'Data of the platform; the answer repeats it'))),
}

export const AgenticTotal = Closed('AgenticTotal', {
  type: Words(
    'items_base_amount',
    'items_discount',
    'subtotal',
    'discount',
    'fulfillment',
    'tax',
    'fee',
    'gift_wrap',
    'tip',
    'store_credit',
    'total',
    'amount_refunded',
  ),
  display_text: Text(1, 500),
  amount: MinorUnits,
  description: Type.Optional(Sentence),
  breakdown: Type.Optional(
    Type.Array(
      Closed('AgenticTaxPart', { jurisdiction: Word, rate: Type.Number({ minimum: 0 }), amount: MinorUnits }),
      { maxItems: 50 },
    ),
  ),
})
