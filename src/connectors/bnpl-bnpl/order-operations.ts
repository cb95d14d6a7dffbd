import type { Call } from '../contract/call.ts'
import type { BookFinding, Outcome } from '../contract/outcome.ts'
import { absent, found, unknownOutcome, unsure } from '../contract/outcome.ts'
import { nonEmptyText } from '../wire/provider-text.ts'
import { refusal } from './declines.ts'
import { entries, readOrder } from './order.ts'
import { lostOutcome, money, segment, type Wire } from './wire.ts'

type Order = Record<string, unknown>

/** An operation on a placed order: its request, how it is recognised in the order, and what follows it. */
interface OrderOperation {
  path: string
  /** The HTTP status of success; the answer has no other content. */
  done: number
  body?: (call: Call) => Record<string, unknown>
  /** Its outcome in the order; undefined: the order does not have it. */
  read: (call: Call, order: Order) => Outcome | undefined
  after?: (wire: Wire, call: Call, order: Order) => Promise<unknown>
}

const orderIdOf = ({ operation }: Call): string =>
  operation.identifiers['payment_service_order_id'] ?? operation.paymentReference ?? ''

/** Reads the entry that has the operation's id. An entry without a time is accepted, but not executed yet. */
const readEntry =
  (list: 'captures' | 'refunds', id: string, amount: string, at: string) => (call: Call, order: Order) => {
    const entry = entries(order, list).find(({ reference }) => reference === call.operation.id)
    if (!entry) return undefined
    const [operation, booked] = [nonEmptyText(entry[id]), money(entry[amount])]
    if (!operation || booked === null) return unknownOutcome('the order cannot be read')
    const identifiers = list === 'captures' ? { payment_service_capture_id: operation } : undefined
    const references = { operation, ...(identifiers && { identifiers }) }
    return nonEmptyText(entry[at])
      ? ({ status: 'approved', amount: booked, facts: {}, references } as const)
      : ({ status: 'pending', facts: {}, references } as const)
  }

const readCancellation = ({ operation }: Call, { status }: Order): Outcome | undefined =>
  status === 'CANCELLED'
    ? { status: 'approved', amount: operation.amount, facts: {}, references: {} }
    : undefined

/**
 * After the final capture the rest of the authorization is released. If the release fails, the rest lapses by
 * itself.
 */
async function releaseRemaining(wire: Wire, call: Call, order: Order): Promise<void> {
  if (!call.operation.final || !money(order['remaining_authorized_amount'])) return
  const path = `/ordermanagement/v1/orders/${segment(orderIdOf(call))}/release-remaining-authorization`
  await wire.send(call, { method: 'POST', path, key: `${call.operation.id}-release` })
}

const orderOperations = {
  capture: {
    path: 'captures',
    done: 201,
    body: ({ operation }) => ({ captured_amount: operation.amount, reference: operation.id }),
    read: readEntry('captures', 'capture_id', 'captured_amount', 'captured_at'),
    after: releaseRemaining,
  },
  refund: {
    path: 'refunds',
    done: 201,
    body: ({ operation }) => ({ refunded_amount: operation.amount, reference: operation.id }),
    read: readEntry('refunds', 'refund_id', 'refunded_amount', 'refunded_at'),
  },
  void: { path: 'cancel', done: 204, read: readCancellation },
  /** Of an order whose risk is not decided yet. */
  cancel: { path: 'cancel', done: 204, read: readCancellation },
} as const satisfies Record<string, OrderOperation>

export type OrderOperationKind = keyof typeof orderOperations

const orderOperation = (kind: OrderOperationKind): OrderOperation => orderOperations[kind]

/**
 * Sends the operation, then reads its outcome from the order: an answer without content could belong to
 * another request.
 */
export async function sendOrderOperation(wire: Wire, call: Call, kind: OrderOperationKind): Promise<Outcome> {
  const { path, done, body, read, after } = orderOperation(kind)
  const order = orderIdOf(call)
  const answer = await wire.send(call, {
    method: 'POST',
    path: `/ordermanagement/v1/orders/${segment(order)}/${path}`,
    key: call.operation.id,
    ...(body && { body: body(call) }),
  })
  if (answer.lost) return lostOutcome(answer)
  if (answer.status !== done)
    return answer.status < 300 ? unknownOutcome(`HTTP ${answer.status}`) : refusal(answer)
  const changed = await readOrder(wire, call, order)
  const outcome = changed && read(call, changed)
  if (!changed || !outcome) return unknownOutcome('the order does not show it')
  if (outcome.status === 'approved') await after?.(wire, call, changed)
  return outcome
}

/**
 * Reads the operation from the order. If the order does not have it, sending it again under the same key is
 * harmless.
 */
export async function findOrderOperation(
  wire: Wire,
  call: Call,
  kind: OrderOperationKind,
): Promise<BookFinding> {
  const order = await readOrder(wire, call, orderIdOf(call))
  if (!order) return unsure
  const outcome = orderOperation(kind).read(call, order)
  return outcome ? found(outcome) : absent
}
