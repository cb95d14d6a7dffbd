import { type Static, Type } from 'typebox'

const Sum = Type.Integer({ minimum: 0 })

/** What a copy of a payment is made of. */
export const PaymentToCopy = Type.Object({
  amount: Sum,
  currency: Type.String({ pattern: '^[A-Z]{3}$' }),
  status: Type.String({ maxLength: 100 }),
  authorized_amount: Sum,
  captured_amount: Sum,
  refunded_amount: Sum,
})
export type PaymentToCopy = Static<typeof PaymentToCopy>

/** A request to try: an action on a copy of a payment, or a new payment link. */
export const DryRunRequest = Type.Union([
  Type.Object({
    kind: Type.Literal('payment'),
    payment: PaymentToCopy,
    action: Type.Union([Type.Literal('refunds'), Type.Literal('capture'), Type.Literal('void')]),
    body: Type.Optional(Type.Unknown()),
  }),
  Type.Object({ kind: Type.Literal('payment-link'), body: Type.Optional(Type.Unknown()) }),
])
export type DryRunRequest = Static<typeof DryRunRequest>

const Amounts = Type.Object({
  status: Type.String(),
  authorized_amount: Sum,
  captured_amount: Sum,
  refunded_amount: Sum,
})
export type Amounts = Static<typeof Amounts>

/** What the request did to the copy. */
export const DryRun = Type.Object({
  /** False: no copy could be made, and `why_not` says why. */
  simulated: Type.Boolean(),
  why_not: Type.Union([Type.String(), Type.Null()]),
  /** Whether the API accepted the request; null: it was not simulated. */
  accepted: Type.Union([Type.Boolean(), Type.Null()]),
  /** Why the API refused it. */
  refusal: Type.Union([
    Type.Object({
      code: Type.String(),
      message: Type.String(),
      problems: Type.Array(Type.Object({ member: Type.String(), message: Type.String() })),
    }),
    Type.Null(),
  ]),
  /** The status of the refund, the capture or the link that was made. */
  outcome: Type.Union([Type.String(), Type.Null()]),
  before: Type.Union([Amounts, Type.Null()]),
  after: Type.Union([Amounts, Type.Null()]),
  not_simulated: Type.Array(Type.String()),
})
export type DryRun = Static<typeof DryRun>

/** What no dry run knows; its answer says so each time. */
export const notSimulated: readonly string[] = [
  'what the payment service and the issuer decide: the copy is at a simulated card service, which approves all but the amounts for tests',
  'permission: scopes, spending limits and approvals are checked when the request is sent',
  'the account’s settings, such as over-capture, and what other requests do meanwhile',
  'settlement, disputes, notifications and webhooks',
]

/** A dry run without a copy. */
export const noCopy = (why_not: string): DryRun => ({
  simulated: false,
  why_not,
  accepted: null,
  refusal: null,
  outcome: null,
  before: null,
  after: null,
  not_simulated: [...notSimulated],
})
