import type { Call, OperationKind } from '../contract/call.ts'
import type { BookFinding, Outcome } from '../contract/outcome.ts'
import { absent, found, unsure } from '../contract/outcome.ts'
import { type Movement, type Order, paymentsOf, readOrder } from './answer.schema.ts'
import { PARTS_IDENTIFIER, payerOf, toOutcome } from './outcome.ts'
import { withStoredAccount } from './stored-account.ts'
import type { Wire } from './wire.ts'

/** Reads the outcome of a money operation from the provider's order. */
export async function findMoney(wire: Wire, call: Call): Promise<BookFinding> {
  const { paymentReference, committedReference, kind } = call.operation
  const id = paymentReference ?? committedReference
  if (id === null) return absent
  const reply = await wire.send(call, {
    method: 'GET',
    path: `/v2/checkout/orders/${encodeURIComponent(id)}`,
  })
  if (reply.refused || reply.answer.lost) return unsure
  // a deleted order has taken no money, and the provider stores keys and invoice ids longer than orders
  if (reply.answer.status === 404) return absent
  const order = reply.answer.status === 200 ? readOrder(reply.answer.body, id) : undefined
  const find = finders[kind]
  if (!order || !find) return unsure
  const outcome = find(call, order)
  return outcome ? found(withStoredAccount(wire, call, order, outcome)) : absent
}

type Finder = (call: Call, order: Order) => Outcome | undefined

/**
 * Reads the outcome from an order. It has one authorization, or one capture at once; later operations are
 * found by their invoice id, which is the operation's id.
 */
const finders: Partial<Record<OperationKind, Finder>> = {
  authorize: (call, order) =>
    firstOf(paymentsOf(order).authorizations, (movement) => authorized(call, order, movement)),
  sale: (call, order) => firstOf(paymentsOf(order).captures, (movement) => captured(call, order, movement)),
  capture: (call, order) =>
    firstOf(paymentsOf(order).captures.filter(isForOperation(call)), (movement) =>
      captured(call, order, movement),
    ),
  refund: (call, order) =>
    firstOf(paymentsOf(order).refunds.filter(isForOperation(call)), (movement) => refunded(call, movement)),
  void: (call, order) => firstOf(paymentsOf(order).authorizations, (movement) => voided(call, movement)),
  cancel: (call, order) => {
    const [authorization] = paymentsOf(order).authorizations
    return authorization ? canceled(call, authorization) : nothingToCancel(call)
  },
}

const firstOf = ([first]: Movement[], then: (movement: Movement) => Outcome | undefined) =>
  first && then(first)

const isForOperation =
  ({ operation }: Call) =>
  ({ invoice_id }: Movement) =>
    invoice_id === operation.id

export const authorized = (call: Call, order: Order, movement: Movement): Outcome =>
  toOutcome(call, movement, {
    operation: movement.id,
    transaction: order.id,
    identifiers: { ...payerOf(order), payment_service_authorization_id: movement.id },
  })

export const captured = (call: Call, order: Order | undefined, movement: Movement): Outcome =>
  toOutcome(call, movement, {
    operation: movement.id,
    ...(order && { transaction: order.id }),
    identifiers: {
      ...(order && payerOf(order)),
      payment_service_capture_id: movement.id,
      ...(!call.operation.final && { [PARTS_IDENTIFIER]: 'true' }),
    },
  })

export const refunded = (call: Call, movement: Movement): Outcome =>
  toOutcome(call, movement, { operation: movement.id })

/** The outcome of voiding an authorization; undefined: it is not voided. */
export function voided(call: Call, authorization: Movement): Outcome | undefined {
  const { status } = authorization
  if (status === 'PENDING') return { status: 'pending', facts: {}, references: {} }
  // the released amount is the authorization's own
  return status === 'VOIDED' ? toOutcome(call, { ...authorization, status: 'CREATED' }, {}) : undefined
}

/** A cancelled authorization never reserved any money. */
export const canceled = (call: Call, authorization: Movement): Outcome | undefined =>
  authorization.status === 'VOIDED' ? nothingToCancel(call) : undefined

/** An order that is not completed moves no money. */
export const nothingToCancel = ({ operation }: Call): Outcome => ({
  status: 'approved',
  amount: operation.amount,
  facts: {},
  references: {},
})
