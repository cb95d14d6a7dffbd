import { type Static, Type } from 'typebox'
import { Compile } from '../wire/compile.ts'

// The parts of Checkout.com's answers that Railyard reads; it ignores other members.

const text = Type.Optional(Type.Union([Type.String(), Type.Null()]))

const Source = Type.Object({
  id: text,
  avs_check: text,
  cvv_check: text,
  bin: text,
  card_type: text,
  expiry_month: Type.Optional(Type.Unknown()),
  expiry_year: Type.Optional(Type.Unknown()),
  issuer_country: text,
  last4: text,
  scheme: text,
})
/** The card of a payment. */
export type Source = Static<typeof Source>

const Processing = Type.Object({
  partner_merchant_advice_code: text,
  partner_response_code: text,
  recommendation_code: text,
  scheme_transaction_link_id: text,
})

const Payment = Type.Object({
  id: Type.String({ minLength: 1 }),
  status: text,
  approved: Type.Optional(Type.Boolean()),
  amount: Type.Optional(Type.Integer()),
  currency: text,
  reference: text,
  response_code: text,
  response_summary: text,
  scheme_id: text,
  source: Type.Optional(Source),
  processing: Type.Optional(Processing),
  '3ds': Type.Optional(Type.Object({ authentication_response: text })),
  actions: Type.Optional(
    Type.Array(Type.Object({ type: text, response_code: text, response_summary: text })),
  ),
  _links: Type.Optional(Type.Object({ redirect: Type.Optional(Type.Object({ href: text })) })),
})
/** A payment: the answer of the request that made it, or of one that reads it. */
export type Payment = Static<typeof Payment>
const payment = Compile(Payment)

export const readPayment = (body: unknown): Payment | undefined => (payment.Check(body) ? body : undefined)

const Action = Type.Object({
  id: Type.String({ minLength: 1 }),
  type: Type.String(),
  amount: Type.Integer(),
  approved: Type.Optional(Type.Boolean()),
  reference: text,
  response_code: text,
  response_summary: text,
})
/** A step of a payment: its authorization, an increment, a capture, a void or a refund. */
export type Action = Static<typeof Action>
const actions = Compile(Type.Array(Action))

/** The steps of a payment; undefined: this is no list of them. */
export const readActions = (list: unknown): Action[] | undefined => (actions.Check(list) ? list : undefined)

const Increment = Type.Object({
  action_id: Type.String({ minLength: 1 }),
  amount: Type.Integer(),
  currency: Type.String(),
  approved: Type.Boolean(),
  reference: text,
  response_code: text,
  response_summary: text,
  scheme_id: text,
})
/** The answer of an increment. */
export type Increment = Static<typeof Increment>
const increment = Compile(Increment)

export const readIncrement = (body: unknown): Increment | undefined =>
  increment.Check(body) ? body : undefined

const accepted = Compile(Type.Object({ action_id: Type.String({ minLength: 1 }), reference: text }))

/** The id of the step that Checkout.com has accepted; undefined: it is a step of another operation. */
export const readAccepted = (body: unknown, operation: string): string | undefined =>
  accepted.Check(body) && (body.reference ?? operation) === operation ? body.action_id : undefined

const payments = Compile(Type.Object({ data: Type.Optional(Type.Array(Payment)) }))

/** The payments of a list; undefined: this is no list. */
export const readPayments = (body: unknown): Payment[] | undefined =>
  payments.Check(body) ? (body.data ?? []) : undefined
