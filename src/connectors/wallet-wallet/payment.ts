import type { Call } from '../contract/call.ts'
import type { Outcome } from '../contract/outcome.ts'
import { refusedOutcome, unknownOutcome } from '../contract/outcome.ts'
import type { HttpAnswer } from '../wire/http-message.ts'
import { type Order, paymentsOf, readMovement, readOrder } from './answer.schema.ts'
import { authorized, canceled, captured, findMoney, nothingToCancel, voided } from './find.ts'
import { toMoney } from './money.ts'
import { toRefusal, unprocessed } from './outcome.ts'
import { withStoredAccount } from './stored-account.ts'
import type { WalletRequest, Wire } from './wire.ts'

type OperationSender = (wire: Wire, call: Call) => Promise<Outcome>

/** Reads an answer with a result. Undefined: it belongs to another operation. */
type Read = (call: Call, answer: Extract<HttpAnswer, { lost: false }>) => Outcome | undefined

/** Sends a money operation, under its id as the idempotency key, and returns its outcome. */
export async function sendOperation(
  wire: Wire,
  call: Call,
  request: Omit<WalletRequest, 'key'>,
  read: Read,
): Promise<Outcome> {
  const reply = await wire.send(call, { ...request, key: call.operation.id })
  if (reply.refused) return unprocessed(reply.refused.code, reply.refused.reason)
  const refusal = toRefusal(reply.answer)
  if (refusal) return reply.answer.lost ? refusal : confirmRefusal(wire, call, refusal)
  if (reply.answer.lost) return unknownOutcome(reply.answer.reason)
  return read(call, reply.answer) ?? unknownOutcome('the answer belongs to another request')
}

/**
 * A refusal does not name its request: it could be the answer to another request, or to the second of two. So
 * it counts only if the books do not have the operation. A request that was refused before it was read
 * usually cannot read the books either. If it can, the refusal is final, except for too many requests.
 */
async function confirmRefusal(wire: Wire, call: Call, refusal: Outcome): Promise<Outcome> {
  if (refusal.status === 'unknown') return refusal
  const isUnprocessed = refusal.status === 'failed' && refusal.unprocessed === true
  const finding = await findMoney(wire, call)
  if (finding.status === 'unsure')
    return isUnprocessed ? refusal : unknownOutcome('it was refused, and the books cannot be read')
  if (finding.status === 'found') return finding.outcome
  if (isUnprocessed && refusal.code !== 'service_rate_limit')
    return refusedOutcome(refusal.code, refusal.facts)
  // another capture or refund has our invoice id, and the books do not have it yet
  const isOwnInvoice = 'code' in refusal && refusal.code === 'duplicate_transaction' && hasInvoice(call)
  return isOwnInvoice ? unknownOutcome('the invoice id is taken') : refusal
}

const hasInvoice = ({ operation }: Call) => operation.kind === 'capture' || operation.kind === 'refund'

const orderPath = ({ operation }: Call, action: string) =>
  `/v2/checkout/orders/${encodeURIComponent(operation.paymentReference ?? '')}/${action}`

/** The account that pays, if the merchant has stored it; else the buyer has approved the order. */
const sourceOf = ({ payment }: Call): object => {
  const account = payment?.instrument.serviceToken
  return account === undefined ? {} : { payment_source: { paypal: { vault_id: account } } }
}

export const authorize: OperationSender = (wire, call) =>
  payOrder(wire, call, 'authorize', (order) => {
    const [authorization] = paymentsOf(order).authorizations
    return authorization && authorized(call, order, authorization)
  })

export const sale: OperationSender = (wire, call) =>
  payOrder(wire, call, 'capture', (order) => {
    const [capture] = paymentsOf(order).captures
    return capture && captured(call, order, capture)
  })

const payOrder = (
  wire: Wire,
  call: Call,
  action: 'authorize' | 'capture',
  read: (order: Order) => Outcome | undefined,
): Promise<Outcome> =>
  sendOperation(
    wire,
    call,
    { method: 'POST', path: orderPath(call, action), body: sourceOf(call) },
    (_, { body }) => {
      const order = readOrder(body, call.operation.paymentReference ?? '')
      const outcome = order && read(order)
      return outcome && withStoredAccount(wire, call, order, outcome)
    },
  )

const authorizationPath = (id: string, action: string) =>
  `/v2/payments/authorizations/${encodeURIComponent(id)}/${action}`

/** Later operations need an id from the payment's own outcome; without it they have no object. */
const missingReference = () => Promise.resolve(refusedOutcome('unexpected_state'))

export const capture: OperationSender = (wire, call) => {
  const { id, amount, currency, final, identifiers } = call.operation
  const authorization = identifiers['payment_service_authorization_id']
  if (!authorization) return missingReference()
  const body = { amount: toMoney(amount, currency), invoice_id: id, final_capture: final }
  return sendOperation(
    wire,
    call,
    { method: 'POST', path: authorizationPath(authorization, 'capture'), body },
    (_, answer) => {
      const movement = readMovement(answer.body)
      return movement?.invoice_id === id ? captured(call, undefined, movement) : undefined
    },
  )
}

export const release: OperationSender = (wire, call) =>
  sendVoid(wire, call, call.operation.identifiers['payment_service_authorization_id'], voided)

/**
 * A pending authorization is voided before it reserves money; without an authorization there is nothing to
 * do.
 */
export const cancel: OperationSender = (wire, call) => {
  const authorization = call.operation.identifiers['payment_service_authorization_id']
  return authorization
    ? sendVoid(wire, call, authorization, canceled)
    : Promise.resolve(nothingToCancel(call))
}

function sendVoid(
  wire: Wire,
  call: Call,
  authorization: string | undefined,
  read: typeof voided,
): Promise<Outcome> {
  if (!authorization) return missingReference()
  return sendOperation(
    wire,
    call,
    { method: 'POST', path: authorizationPath(authorization, 'void') },
    (_, { body }) => {
      const movement = readMovement(body)
      return movement?.id === authorization ? read(call, movement) : undefined
    },
  )
}
