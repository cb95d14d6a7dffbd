import { type Static, Type } from 'typebox'
import { Amount, Country, Currency, Nullable, Timestamp, Uuid, Words } from '../api/schema.ts'
import { TransactionIntent, TransactionPaymentSource } from '../checkout/payment-terms.schema.ts'
import { Flow, FlowAction } from '../routing/action.schema.ts'

/** The version of the format. A replay refuses others. */
export const CAPSULE_VERSION = 1

/** A capsule is read whole, and comes from outside. In bytes. */
export const MAX_CAPSULE_BYTES = 2 * 1024 * 1024

const closed = { additionalProperties: false }
const Word = Type.String({ maxLength: 200 })

const Service = Type.Object(
  {
    id: Uuid,
    definition: Type.String({ maxLength: 50 }),
    active: Type.Boolean(),
    accepted_currencies: Type.Array(Currency, { minItems: 1, maxItems: 300 }),
    accepted_countries: Type.Array(Country, { minItems: 1, maxItems: 300 }),
    three_d_secure_enabled: Type.Boolean(),
    open_loop: Type.Boolean(),
    /** Without secret ones. */
    fields: Type.Array(Type.Object({ key: Word, value: Type.String({ maxLength: 2_000 }) }, closed), {
      maxItems: 50,
    }),
  },
  closed,
)

const Ruleset = Type.Object(
  {
    flow: Flow,
    version: Type.Integer(),
    rules: Type.Array(
      Type.Object(
        {
          display_name: Word,
          action: FlowAction,
          active: Type.Boolean(),
          condition: Type.Unknown(),
          outcome: Type.Unknown(),
        },
        closed,
      ),
      { maxItems: 100 },
    ),
  },
  closed,
)

/** The request that made the payment. */
const Payment = Type.Object(
  {
    amount: Amount,
    currency: Currency,
    country: Type.Optional(Country),
    intent: TransactionIntent,
    payment_source: TransactionPaymentSource,
    merchant_initiated: Type.Boolean(),
    is_subsequent_payment: Type.Boolean(),
    metadata: Type.Optional(Type.Record(Type.String(), Word)),
    payment_service_id: Type.Optional(Uuid),
    allow_partial_authorization: Type.Optional(Type.Boolean()),
    async_capture: Type.Optional(Type.Boolean()),
    installment_count: Type.Optional(Type.Integer()),
    /** What each gift card paid, in the order in which they were redeemed. */
    gift_cards: Type.Optional(Type.Array(Type.Object({ amount: Amount }, closed), { maxItems: 20 })),
    /** Null: the payment was not made with a card. */
    scheme: Nullable(Word),
    method: Nullable(Word),
  },
  closed,
)

/** What the merchant asked for later. */
const Action = Type.Object(
  {
    at: Timestamp,
    kind: Words('capture', 'void', 'cancel', 'increment', 'refund'),
    amount: Amount,
    final: Type.Boolean(),
    forced: Type.Boolean(),
  },
  closed,
)

/** A request to a payment service, and its answer; a null status: none came. */
const Exchange = Type.Object(
  {
    method: Type.String({ pattern: '^[A-Z]{3,7}$' }),
    /** Without the host. */
    path: Type.String({ maxLength: 2_000 }),
    status: Nullable(Type.Integer({ minimum: 100, maximum: 599 })),
    response: Type.Unknown(),
    started_at: Timestamp,
    ended_at: Timestamp,
  },
  closed,
)

const Operation = Type.Object(
  {
    id: Uuid,
    kind: Word,
    status: Word,
    amount: Amount,
    effective_amount: Nullable(Amount),
    error_code: Nullable(Word),
    payment_service_id: Nullable(Uuid),
    created_at: Timestamp,
    exchanges: Type.Array(Exchange, { maxItems: 200 }),
  },
  closed,
)

const Result = Type.Object(
  {
    status: Word,
    intent_outcome: Word,
    error_code: Nullable(Word),
    amount: Amount,
    authorized_amount: Amount,
    captured_amount: Amount,
    refunded_amount: Amount,
  },
  closed,
)

/** Everything that determined a payment, and what became of it, without card data and personal data. */
export const Capsule = Type.Object(
  {
    format: Type.Literal('railyard-capsule'),
    version: Type.Literal(CAPSULE_VERSION),
    /** The version of Railyard that exported it. */
    railyard: Word,
    /** In the order in which they are tried. */
    payment_services: Type.Array(Service, { maxItems: 100 }),
    /** The definition of the service that screened the payment; absent: none did. */
    anti_fraud_service: Type.Optional(Word),
    /** That of the service of the payment's gift cards; absent: no gift card paid. */
    gift_card_service: Type.Optional(Word),
    /** The versions that were live when the payment was made. */
    rules: Type.Array(Ruleset, { maxItems: 4 }),
    created_at: Timestamp,
    payment: Payment,
    actions: Type.Array(Action, { maxItems: 200 }),
    /** In the order in which they were intended. */
    operations: Type.Array(Operation, { maxItems: 200 }),
    /** When payment services notified. */
    notifications: Type.Array(Timestamp, { maxItems: 200 }),
    /** The names of the timeline's entries, the oldest first. */
    timeline: Type.Array(Word, { maxItems: 1_000 }),
    result: Result,
  },
  closed,
)
export type Capsule = Static<typeof Capsule>
export type CapsuleAction = Static<typeof Action>
export type CapsuleExchange = Static<typeof Exchange>
export type CapsuleOperation = Static<typeof Operation>
export type CapsuleResult = Static<typeof Result>
