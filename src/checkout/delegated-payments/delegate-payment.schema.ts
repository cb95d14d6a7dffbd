import { type Static, Type } from 'typebox'
import { Closed, Described, Erasable, MapOf, Personal, Text, Timestamp, Words } from '../../api/schema.ts'
import { HIGHEST_CEILING } from '../../api/values/amount-ceiling.ts'

// the shapes of the Agentic Commerce Protocol (delegate_payment, 2026-04-17), with bounds where it has none

const pairs = Erasable(MapOf(Text(0, 500)))
const Word = Text(1, 255)

export const DelegatedRiskSignal = Closed('DelegatedRiskSignal', {
  type: Described(Words('card_testing'), 'What the platform has looked for'),
  score: Described(Type.Integer(), 'How severe it is, on the platform’s own scale'),
  action: Described(Words('blocked', 'manual_review', 'authorized'), 'What the platform advises'),
})
export type DelegatedRiskSignal = Static<typeof DelegatedRiskSignal>

const DelegatedCard = Closed('DelegatedCard', {
  type: Type.Literal('card'),
  card_number_type: Described(
    Words('fpan', 'network_token'),
    '`fpan`: `number` is the number on the card. `network_token`: it is a card scheme’s token',
  ),
  number: Described(Type.String({ pattern: '^\\d{13,19}$' }), 'The card number, or the network token'),
  exp_month: Described(Type.String({ pattern: '^\\d{1,2}$' }), 'The month in which the card expires'),
  exp_year: Described(
    Type.String({ pattern: '^(20)?\\d{2}$' }),
    'The year in which the card expires, such as 2027',
  ),
  name: Type.Optional(Personal(Described(Text(1, 255), 'The name on the card'))),
  cvc: Type.Optional(
    Described(Type.String({ pattern: '^\\d{3,4}$' }), 'The security code. It is erased at the first attempt'),
  ),
  cryptogram: Type.Optional(Described(Text(1, 255), 'The network token’s cryptogram for this payment')),
  eci_value: Type.Optional(
    Described(Type.String({ pattern: '^0?\\d$' }), 'The network token’s electronic commerce indicator'),
  ),
  checks_performed: Type.Optional(
    Described(
      Type.Array(Words('avs', 'cvv', 'ani', 'auth0'), { maxItems: 10 }),
      'What the platform has checked',
    ),
  ),
  iin: Type.Optional(
    Described(Text(0, 8), 'The first digits of the card; Railyard reads them from the number'),
  ),
  display_card_funding_type: Described(
    Words('credit', 'debit', 'prepaid'),
    'The kind of card, as the platform shows it to the buyer',
  ),
  display_wallet_type: Type.Optional(Described(Word, 'The wallet that the card comes from')),
  display_brand: Type.Optional(Described(Word, 'The card’s scheme, as the platform shows it to the buyer')),
  display_last4: Type.Optional(
    Described(
      Type.String({ pattern: '^\\d{4}$' }),
      'The last four digits of the card behind a network token',
    ),
  ),
  metadata: Described(pairs, 'What else the platform tells of the card; Railyard does not keep it'),
  virtual: Type.Optional(Described(Type.Boolean(), 'Whether the number is that of a virtual card')),
})
export type DelegatedCard = Static<typeof DelegatedCard>

const DelegatedAllowance = Closed('DelegatedAllowance', {
  reason: Described(Words('one_time'), 'The token pays once'),
  max_amount: Described(
    Type.Integer({ minimum: 1, maximum: HIGHEST_CEILING }),
    'The most that the payment may take, in the smallest unit of the currency',
  ),
  currency: Described(Type.String({ pattern: '^[a-z]{3}$' }), 'ISO 4217 in small letters'),
  checkout_session_id: Described(Text(1, 255), 'The checkout session that the payment is for'),
  merchant_id: Described(Text(1, 256), 'The id of the merchant account that may use the token'),
  expires_at: Described(Timestamp, 'When the token expires: within seven days'),
})
export type DelegatedAllowance = Static<typeof DelegatedAllowance>

const addressLine = Personal(Text(1, 60))
const DelegatedAddress = Closed('DelegatedAddress', {
  name: Personal(Described(Text(1, 256), 'The cardholder’s name')),
  line_one: Described(addressLine, 'The first line of the address'),
  line_two: Type.Optional(Personal(Described(Text(0, 60), 'The second line of the address'))),
  city: addressLine,
  state: Described(Personal(Text(0, 255)), 'The state, province or region'),
  country: Described(Type.String({ pattern: '^[A-Z]{2}$' }), 'ISO 3166-1 alpha-2'),
  postal_code: Personal(Text(0, 20)),
})
export type DelegatedAddress = Static<typeof DelegatedAddress>

export const DelegatePaymentRequest = Closed('DelegatePaymentRequest', {
  payment_method: Described(DelegatedCard, 'The buyer’s card'),
  allowance: DelegatedAllowance,
  billing_address: Type.Optional(Personal(DelegatedAddress)),
  risk_signals: Described(
    Type.Array(DelegatedRiskSignal, { maxItems: 20 }),
    'What the platform’s fraud checks have found. The payment shows them',
  ),
  metadata: Described(pairs, 'Up to 50 pairs, which the answer repeats'),
})
export type DelegatePaymentRequest = Static<typeof DelegatePaymentRequest>

export const DelegatePaymentResponse = Closed('DelegatePaymentResponse', {
  id: Described(Type.String(), 'The token: `vt_` and a UUID'),
  created: Described(Timestamp, 'When the token was created'),
  metadata: Described(pairs, 'The pairs of the request'),
})
export type DelegatePaymentResponse = Static<typeof DelegatePaymentResponse>

/** What a payment shows of the token that it is paid with. */
export const DelegatedPayment = Closed('DelegatedPayment', {
  id: Described(Type.String(), 'The token: `vt_` and a UUID'),
  checkout_session_id: Described(
    Type.String(),
    'The checkout session that the platform has created the token for',
  ),
  max_amount: Described(Type.Integer(), 'The most that the payment may take, increments included'),
  currency: Described(Type.String(), 'ISO 4217'),
  expires_at: Timestamp,
  risk_signals: Described(Type.Array(DelegatedRiskSignal), 'What the platform’s fraud checks have found'),
})
export type DelegatedPayment = Static<typeof DelegatedPayment>
