import { type Static, type TSchema, Type } from 'typebox'
import { Compile } from '../wire/compile.ts'

// The parts of the provider's answers that Railyard reads; it ignores other members. test/contracts has the
// whole contract.

const Id = Type.String({ minLength: 1 })
const text = Type.Optional(Type.Union([Type.String(), Type.Null()]))
const optional = <Schema extends TSchema>(schema: Schema) => Type.Optional(Type.Union([schema, Type.Null()]))

const Money = Type.Object({ currency: Type.String(), value: Type.String() })
const Link = Type.Object({ href: Type.String() })
/** What the merchant, or Railyard, has stored with an object. */
const metadata = Type.Optional(Type.Unknown())

const Chargeback = Type.Object({
  id: Id,
  amount: Money,
  paymentId: Id,
  createdAt: Type.String(),
  reversedAt: text,
  reason: optional(Type.Object({ code: text, description: text })),
})
export type Chargeback = Static<typeof Chargeback>

/** A capture or a refund. */
const Movement = Type.Object({
  id: Id,
  status: text,
  amount: optional(Money),
  paymentId: Id,
  metadata,
})
export type Movement = Static<typeof Movement>

const Details = Type.Object({
  failureReason: text,
  failureMessage: text,
  bankReasonCode: text,
  cardBin: text,
  cardCountryCode: text,
  cardExpiryDate: text,
  cardFunding: text,
  cardLabel: text,
  cardNumber: text,
})
/** What the provider tells of what paid, and of a failure. */
export type Details = Static<typeof Details>

const Payment = Type.Object({
  id: Id,
  status: Type.String(),
  amount: Money,
  amountCaptured: optional(Money),
  metadata,
  createdAt: Type.String(),
  authorizedAt: text,
  isCancelable: optional(Type.Boolean()),
  customerId: text,
  mandateId: text,
  statusReason: optional(Type.Object({ code: text, message: text })),
  details: optional(Details),
  _links: Type.Optional(Type.Object({ checkout: optional(Link) })),
  _embedded: Type.Optional(
    Type.Object({
      captures: Type.Optional(Type.Array(Movement)),
      chargebacks: Type.Optional(Type.Array(Chargeback)),
      refunds: Type.Optional(Type.Array(Movement)),
    }),
  ),
})
export type Payment = Static<typeof Payment>

const links = Type.Object({ next: optional(Link) })
const listOf = <Members extends Record<string, TSchema>>(members: Members) =>
  Type.Object({ _embedded: Type.Object(members), _links: Type.Optional(links) })

const Webhook = Type.Object({ id: Id, url: Type.String(), webhookSecret: text })
export type Webhook = Static<typeof Webhook>

const payment = Compile(Payment)
const movement = Compile(Movement)
const chargeback = Compile(Chargeback)
const customer = Compile(Type.Object({ id: Id }))
const mandate = Compile(Type.Object({ id: Id, status: Type.String() }))
const webhook = Compile(Webhook)
const payments = Compile(listOf({ payments: Type.Array(Payment) }))
const captures = Compile(listOf({ captures: Type.Array(Movement) }))
const refunds = Compile(listOf({ refunds: Type.Array(Movement) }))
const webhooks = Compile(listOf({ webhooks: Type.Array(Webhook) }))
const problem = Compile(Type.Object({ title: text, detail: text, field: text }))

/** A page of a list. `next`: the id with which the next page begins; undefined: it is the last one. */
export interface Page<Item> {
  items: Item[]
  next: string | undefined
}

/** The payment with this id. Undefined: the answer is about another payment, or cannot be read. */
export const readPayment = (body: unknown, id?: string): Payment | undefined =>
  payment.Check(body) && (id === undefined || body.id === id) ? body : undefined

export const readMovement = (body: unknown): Movement | undefined => (movement.Check(body) ? body : undefined)

export const readChargeback = (body: unknown): Chargeback | undefined =>
  chargeback.Check(body) ? body : undefined

export const readCustomer = (body: unknown): string | undefined =>
  customer.Check(body) ? body.id : undefined

export const readMandate = (body: unknown) => (mandate.Check(body) ? body : undefined)

export const readWebhook = (body: unknown): Webhook | undefined => (webhook.Check(body) ? body : undefined)

export const readPayments = (body: unknown): Page<Payment> | undefined =>
  payments.Check(body) ? { items: body._embedded.payments, next: nextOf(body._links) } : undefined

export const readCaptures = (body: unknown): Page<Movement> | undefined =>
  captures.Check(body) ? { items: body._embedded.captures, next: nextOf(body._links) } : undefined

export const readRefunds = (body: unknown): Page<Movement> | undefined =>
  refunds.Check(body) ? { items: body._embedded.refunds, next: nextOf(body._links) } : undefined

export const readWebhooks = (body: unknown): Page<Webhook> | undefined =>
  webhooks.Check(body) ? { items: body._embedded.webhooks, next: nextOf(body._links) } : undefined

const nextOf = (given: Static<typeof links> | undefined): string | undefined => {
  const href = given?.next?.href
  return (href !== undefined && URL.parse(href)?.searchParams.get('from')) || undefined
}

/** What a refusal says; nulls for what it does not say. */
export const problemIn = (body: unknown) => {
  const { title = null, detail = null, field = null } = problem.Check(body) ? body : {}
  return { title, detail, field }
}

/** The id of the operation that caused an object: Railyard's metadata of it. */
export const operationOf = ({ metadata: given }: { metadata?: unknown }): string | undefined =>
  memberOf(given, 'operation_id')

/** The id of the operation that must not happen any more: see `close.ts`. */
export const closedOperationOf = ({ metadata: given }: { metadata?: unknown }): string | undefined =>
  memberOf(given, 'closed_operation_id')

function memberOf(given: unknown, name: string): string | undefined {
  if (typeof given !== 'object' || given === null) return undefined
  const value: unknown = Object.getOwnPropertyDescriptor(given, name)?.value
  return typeof value === 'string' ? value : undefined
}
