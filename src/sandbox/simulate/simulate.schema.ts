import { type Static, Type } from 'typebox'
import { CardExpiry, Closed, Currency, Described, Text, Uuid, Words } from '../../api/schema.ts'
import { HIGHEST_CEILING } from '../../api/values/amount-ceiling.ts'

const Sum = Type.Integer({ minimum: 1, maximum: HIGHEST_CEILING })
const Fee = Type.Optional(Type.Integer({ minimum: 0, maximum: HIGHEST_CEILING }))

/** The members of a settlement: gross amount, currency, rate and fees. */
const settlement = {
  amount: Type.Optional(Described(Sum, 'Gross, in the currency of the payment; absent: all that is left')),
  currency: Type.Optional(Described(Currency, 'What it is settled in; absent: the currency of the payment')),
  exchange_rate: Type.Optional(
    Type.Number({
      minimum: 0.000001,
      maximum: 1_000_000,
      description: 'How much of `currency` one unit of the payment’s currency is; six decimals count',
    }),
  ),
  fees: Type.Optional(
    Described(
      Closed('SimulatedFees', { interchange: Fee, markup: Fee, scheme_fee: Fee }),
      'In the currency that it is settled in; absent: the sandbox’s usual ones',
    ),
  ),
}

const SimulatedSettlement = Closed('SimulatedSettlement', { event: Type.Literal('settled'), ...settlement })
const SimulatedRefundSettlement = Closed('SimulatedRefundSettlement', {
  event: Type.Literal('refund_settled'),
  refund_id: Type.Optional(Described(Uuid, 'Needed where more than one refund is not settled whole')),
  ...settlement,
})
const SimulatedDispute = Closed('SimulatedDispute', {
  event: Words('disputed', 'dispute_reversed'),
  amount: Type.Optional(Described(Sum, 'In the currency of the payment; absent: all that can be')),
})
const SimulatedDisputeNotice = Closed('SimulatedDisputeNotice', {
  event: Type.Literal('dispute_notified'),
  status: Type.Optional(
    Described(
      Words('inquiry', 'needs_response', 'under_review', 'won', 'lost', 'accepted', 'closed'),
      'The status of the payment’s dispute; absent: `needs_response`, which takes the money',
    ),
  ),
  amount: Type.Optional(Described(Sum, 'In the currency of the payment; absent: all that is captured')),
})
const operation_id = Type.Optional(
  Described(
    Uuid,
    'Needed where several operations are pending; the id of a capture or a refund is its operation’s',
  ),
)
const SimulatedCompletion = Closed('SimulatedCompletion', { event: Type.Literal('completed'), operation_id })
const SimulatedRefusal = Closed('SimulatedRefusal', {
  event: Words('declined', 'failed'),
  operation_id,
  error_code: Type.Optional(
    Described(
      Text(1, 100),
      'Why, of the codes that go with the event; absent: the payment service’s usual one',
    ),
  ),
})
const SimulatedDecision = Closed('SimulatedDecision', {
  event: Words('approved', 'rejected'),
  by: Type.Optional(
    Described(
      Words('buyer', 'reviewer'),
      'The buyer at the payment service or the card’s issuer, or who reviews for the anti-fraud service; needed where both are awaited',
    ),
  ),
})
const SimulatedCardUpdate = Closed('SimulatedCardUpdate', {
  event: Type.Literal('card_updated'),
  expiration_date: Type.Optional(
    Described(CardExpiry, 'Of the newer card; absent: three years later than now'),
  ),
})
const SimulatedChange = Closed('SimulatedChange', {
  event: Words(
    'expired',
    'card_closed',
    'token_suspended',
    'token_resumed',
    'token_deleted',
    'method_paused',
    'method_resumed',
    'method_authorization_updated',
    'method_authorization_update_required',
    'method_authorization_expiring',
  ),
})

/** The event to simulate, by its `event`. */
export const SimulatedEvent = Type.Union([
  SimulatedSettlement,
  SimulatedRefundSettlement,
  SimulatedDispute,
  SimulatedDisputeNotice,
  SimulatedCompletion,
  SimulatedRefusal,
  SimulatedDecision,
  SimulatedCardUpdate,
  SimulatedChange,
])
export type SimulatedEvent = Static<typeof SimulatedEvent>
export type EventName = SimulatedEvent['event']
type With<Name, Body extends { event: string }> = Body extends unknown
  ? Name extends Body['event']
    ? Body
    : never
  : never
/** The bodies that have this event. */
export type EventOf<Name extends EventName> = With<Name, SimulatedEvent>
export type LineEvent = EventOf<'settled'> | EventOf<'refund_settled'> | EventOf<'disputed'>
