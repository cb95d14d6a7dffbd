import { type Static, type TSchema, Type } from 'typebox'
import { Compile } from '../wire/compile.ts'

// The parts of Stripe's answers that Railyard reads; it ignores other members. test/contracts has the whole
// contract.

const maybe = <T extends TSchema>(schema: T) => Type.Optional(Type.Union([schema, Type.Null()]))
const text = maybe(Type.String())
const id = Type.String({ minLength: 1 })
const metadata = maybe(Type.Record(Type.String(), Type.String()))

const Checks = Type.Object({
  address_line1_check: text,
  address_postal_code_check: text,
  cvc_check: text,
})

/** What is shown of a card. */
const CardDetails = Type.Object({
  brand: text,
  country: text,
  exp_month: maybe(Type.Integer()),
  exp_year: maybe(Type.Integer()),
  funding: text,
  last4: text,
})
export type CardDetails = Static<typeof CardDetails>

const ChargedCard = Type.Object({
  ...CardDetails.properties,
  checks: maybe(Checks),
  network_transaction_id: text,
  transaction_link_id: text,
  authorization_code: text,
})

/** Why the payment went as it did: the answers of the card network and of the issuer. */
const ChargeOutcome = Type.Object({
  network_decline_code: text,
  network_advice_code: text,
  advice_code: text,
  reason: text,
  seller_message: text,
})

export const Charge = Type.Object({
  id,
  amount: Type.Integer(),
  status: text,
  outcome: maybe(ChargeOutcome),
  authorization_code: text,
  payment_method_details: maybe(Type.Object({ card: maybe(ChargedCard) })),
})
export type Charge = Static<typeof Charge>

/** The error of a refused request, or of an attempt to pay. */
const Problem = Type.Object({
  type: Type.String(),
  code: text,
  decline_code: text,
  message: text,
  advice_code: text,
  network_decline_code: text,
  network_advice_code: text,
})
export type Problem = Static<typeof Problem>

const NextAction = Type.Object({
  type: Type.String(),
  redirect_to_url: maybe(Type.Object({ url: text })),
  alipay_handle_redirect: maybe(Type.Object({ url: text })),
})

const attempt = {
  id,
  status: Type.String(),
  client_secret: text,
  cancellation_reason: text,
  customer: text,
  metadata,
  next_action: maybe(NextAction),
  payment_method: maybe(Type.Union([Type.String(), Type.Object({ id, card: maybe(CardDetails) })])),
}

const PaymentIntent = Type.Object({
  ...attempt,
  object: Type.Literal('payment_intent'),
  amount: Type.Integer(),
  amount_capturable: Type.Integer(),
  amount_received: Type.Integer(),
  currency: Type.String(),
  last_payment_error: maybe(Problem),
  latest_charge: maybe(Type.Union([Type.String(), Charge])),
})

const SetupIntent = Type.Object({
  ...attempt,
  object: Type.Literal('setup_intent'),
  last_setup_error: maybe(Problem),
})

/** A PaymentIntent, or a SetupIntent: one for an amount of zero. */
export type Intent = Static<typeof PaymentIntent> | Static<typeof SetupIntent>

const Refund = Type.Object({
  id,
  object: Type.Literal('refund'),
  amount: Type.Integer(),
  currency: Type.String(),
  payment_intent: text,
  metadata,
  status: text,
  failure_reason: text,
})
export type Refund = Static<typeof Refund>

const ErrorAnswer = Type.Object({
  error: Type.Intersect([
    Problem,
    Type.Object({ payment_intent: maybe(Type.Object({ id })), setup_intent: maybe(Type.Object({ id })) }),
  ]),
})
export type ErrorAnswer = Static<typeof ErrorAnswer>['error']

const List = Type.Object({ data: Type.Array(Type.Unknown()), has_more: Type.Boolean() })

const Identified = Type.Object({ id })

const paymentIntent = Compile(PaymentIntent)
const setupIntent = Compile(SetupIntent)
const anyRefund = Compile(Refund)
const errorAnswer = Compile(ErrorAnswer)
const list = Compile(List)
const identified = Compile(Identified)

/** The intent with this id. Undefined: the answer is about another intent, or cannot be read. */
export function readIntent(body: unknown, expected?: string): Intent | undefined {
  const intent = paymentIntent.Check(body) || setupIntent.Check(body) ? body : undefined
  return intent && (expected === undefined || intent.id === expected) ? intent : undefined
}

export const readRefund = (body: unknown): Refund | undefined => (anyRefund.Check(body) ? body : undefined)

/** The error of a refused request; undefined: it is not Stripe that speaks. */
export const readError = (body: unknown): ErrorAnswer | undefined =>
  errorAnswer.Check(body) ? body.error : undefined

/** A page of a list; undefined: it cannot be read. */
export const readPage = (body: unknown): { items: unknown[]; hasMore: boolean } | undefined =>
  list.Check(body) ? { items: body.data, hasMore: body.has_more } : undefined

/** The id of an object of any kind. */
export const readId = (body: unknown): string | undefined => (identified.Check(body) ? body.id : undefined)

export const isPaymentIntent = (intent: Intent): intent is Static<typeof PaymentIntent> =>
  intent.object === 'payment_intent'

export const problemOf = (intent: Intent): Problem | undefined =>
  (isPaymentIntent(intent) ? intent.last_payment_error : intent.last_setup_error) ?? undefined

/** The charge of the last attempt, which every request here asks for in full. */
export const chargeOf = (intent: Intent): Charge | undefined =>
  isPaymentIntent(intent) && typeof intent.latest_charge === 'object'
    ? (intent.latest_charge ?? undefined)
    : undefined
