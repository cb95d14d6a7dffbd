import { Compile } from '../../../base/compile.ts'
import { outcomeForAmount } from '../../core/amounts.ts'
import { firstError } from '../../core/first-error.ts'
import type { FollowUpKind, SimulatedResult } from '../../core/operation.ts'
import { forbiddenReason, forbiddenResult } from '../../core/operation-rules.ts'
import { type AnswerFormat, newResult, type OperationDecision, processOnce } from '../../core/processing.ts'
import type { Answer } from '../../core/provider-messages.ts'
import type { Sandbox } from '../../sandbox.ts'
import { CaptureBody, RefundBody } from './bnpl.schema.ts'
import { storeDocument } from './documents.ts'
import { noOrder, type OrderWithPayment, orderOf, remaining } from './order.ts'
import { changeRefusal, errorAnswer, processingProblem } from './refusals.ts'
import { type KeyedRequest, noContent } from './request.ts'

const captureBody = Compile(CaptureBody)
const refundBody = Compile(RefundBody)

interface Change {
  kind: FollowUpKind
  amount: number
  reference: string | null
}

/** Captures and refunds answer without content: the ids of the new entries are in the headers. */
const createdFormat = (location: string, header: string, error_code: string): AnswerFormat => ({
  problem: processingProblem,
  result({ id, status, code }): Answer {
    if (status === 'declined' || status === 'failed') return changeRefusal(error_code, code)
    return { status: 201, body: '', headers: { [header]: id, location: `${location}/${id}` } }
  },
})

const cancelledFormat: AnswerFormat = {
  problem: processingProblem,
  result: ({ status, code }) =>
    status === 'declined' || status === 'failed' ? changeRefusal('CANCEL_NOT_ALLOWED', code) : noContent,
}

export function capture(request: KeyedRequest, id: string): Answer {
  const { body } = request.incoming
  if (!captureBody.Check(body)) return errorAnswer(422, 'UNPROCESSABLE_ENTITY', firstError(captureBody, body))
  const wording = createdFormat(
    `/ordermanagement/v1/orders/${id}/captures`,
    'capture-id',
    'CAPTURE_NOT_ALLOWED',
  )
  return changeOrder(
    request,
    id,
    { kind: 'capture', amount: body.captured_amount, reference: body.reference ?? null },
    wording,
  )
}

export function refund(request: KeyedRequest, id: string): Answer {
  const { body } = request.incoming
  if (!refundBody.Check(body)) return errorAnswer(422, 'UNPROCESSABLE_ENTITY', firstError(refundBody, body))
  const wording = createdFormat(`/ordermanagement/v1/orders/${id}/refunds`, 'refund-id', 'REFUND_NOT_ALLOWED')
  return changeOrder(
    request,
    id,
    { kind: 'refund', amount: body.refunded_amount, reference: body.reference ?? null },
    wording,
  )
}

/** Ends an order without a capture. While its risk is undecided there is no money to give back yet. */
export function cancel(request: KeyedRequest, id: string): Answer {
  const found = orderOf(request.sandbox, request.service, id)
  const kind = cancelKind(request.sandbox, request.service, id)
  return changeOrder(
    request,
    id,
    { kind, amount: found?.order.body.order_amount ?? 0, reference: null },
    cancelledFormat,
  )
}

export const cancelKind = (sandbox: Sandbox, service: string, id: string): 'void' | 'cancel' =>
  orderOf(sandbox, service, id)?.payment.authorization === 'pending' ? 'cancel' : 'void'

function changeOrder(request: KeyedRequest, id: string, change: Change, wording: AnswerFormat): Answer {
  const { sandbox, service, key, incoming } = request
  if (!orderOf(sandbox, service, id)) return noOrder()
  // the path does not depend on the order's state, so that a repeated request matches the first
  const path = `orders/${id}/${change.kind === 'void' || change.kind === 'cancel' ? 'end' : change.kind}`
  const decided = () => decideOrderChange(sandbox, service, id, key, change)
  const { delivered: _, ...answer } = processOnce(
    sandbox,
    { payment_service_id: service, key, path, body: incoming.body },
    decided,
    wording,
  )
  return answer
}

function decideOrderChange(
  sandbox: Sandbox,
  service: string,
  id: string,
  key: string,
  { kind, amount, reference }: Change,
): OperationDecision | null {
  const found = orderOf(sandbox, service, id)
  if (!found) return null
  const { order, payment } = found
  storeDocument(sandbox, 'order', id, { ...order, operations: [...order.operations, { key, reference }] })
  const operation = { key, kind, amount, currency: payment.currency }
  return {
    result: {
      ...newResult(sandbox, operation, outcomeOfChange(sandbox, found, kind, amount)),
      id: `${kind}_${sandbox.ids.next()}`,
      payment_id: id,
    },
  }
}

/** The books decide first: an amount with a simulated outcome does not bring back money that is gone. */
function outcomeOfChange(
  sandbox: Sandbox,
  { order, payment }: OrderWithPayment,
  kind: FollowUpKind,
  amount: number,
): SimulatedResult {
  const extended = { ...payment, authorization_expires_at: order.expires_at }
  const forbidden = forbiddenReason(kind, extended, amount, sandbox.clock.now())
  if (forbidden) return forbiddenResult(forbidden)
  if (kind === 'capture' && amount > remaining(sandbox, { order, payment }))
    return { status: 'failed', code: 'invalid_amount' }
  return outcomeForAmount(kind, amount)
}
