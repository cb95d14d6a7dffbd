import { Compile } from 'typebox/compile'
import { verdictFor } from '../amounts.ts'
import type { LaterKind, Verdict } from '../operation.ts'
import { type Decision, newResult, processOnce, type Wording } from '../processing.ts'
import type { Answer } from '../provider.ts'
import { refusal } from '../refusals.ts'
import type { Sandbox } from '../sandbox.ts'
import { firstError } from '../shape.ts'
import { CaptureBody, RefundBody } from './bnpl.schema.ts'
import { keep } from './documents.ts'
import { noOrder, type OpenOrder, orderOf, remaining } from './order.ts'
import { problem, refused, refusedChange } from './refusals.ts'
import { done, type KeyedRequest } from './request.ts'

const captureBody = Compile(CaptureBody)
const refundBody = Compile(RefundBody)

interface Change {
  kind: LaterKind
  amount: number
  reference: string | null
}

/** Captures, refunds and cancellations answer without content: the ids of what they made are in the headers. */
const created = (location: string, header: string, error_code: string): Wording => ({
  problem,
  result({ id, status, code }): Answer {
    if (status === 'declined' || status === 'failed') return refusedChange(error_code, code)
    return { status: 201, body: '', headers: { [header]: id, location: `${location}/${id}` } }
  },
})

const cancelled: Wording = {
  problem,
  result: ({ status, code }) => (status === 'declined' || status === 'failed' ? refusedChange('CANCEL_NOT_ALLOWED', code) : done),
}

export function capture(request: KeyedRequest, id: string): Answer {
  const { body } = request.incoming
  if (!captureBody.Check(body)) return refused(422, 'UNPROCESSABLE_ENTITY', firstError(captureBody, body))
  const wording = created(`/ordermanagement/v1/orders/${id}/captures`, 'capture-id', 'CAPTURE_NOT_ALLOWED')
  return change(request, id, { kind: 'capture', amount: body.captured_amount, reference: body.reference ?? null }, wording)
}

export function refund(request: KeyedRequest, id: string): Answer {
  const { body } = request.incoming
  if (!refundBody.Check(body)) return refused(422, 'UNPROCESSABLE_ENTITY', firstError(refundBody, body))
  const wording = created(`/ordermanagement/v1/orders/${id}/refunds`, 'refund-id', 'REFUND_NOT_ALLOWED')
  return change(request, id, { kind: 'refund', amount: body.refunded_amount, reference: body.reference ?? null }, wording)
}

/** Ends an order of which nothing is captured. While its risk is looked at there is no money to give back yet. */
export function cancel(request: KeyedRequest, id: string): Answer {
  const found = orderOf(request.sandbox, request.service, id)
  const kind = cancelKind(request.sandbox, request.service, id)
  return change(request, id, { kind, amount: found?.order.body.order_amount ?? 0, reference: null }, cancelled)
}

export const cancelKind = (sandbox: Sandbox, service: string, id: string): 'void' | 'cancel' =>
  orderOf(sandbox, service, id)?.payment.authorization === 'pending' ? 'cancel' : 'void'

function change(request: KeyedRequest, id: string, asked: Change, wording: Wording): Answer {
  const { sandbox, service, key, incoming } = request
  if (!orderOf(sandbox, service, id)) return noOrder()
  // what is asked of an order is the same request whatever state the order is in by now
  const path = `orders/${id}/${asked.kind === 'void' || asked.kind === 'cancel' ? 'end' : asked.kind}`
  const decided = () => decide(sandbox, service, id, key, asked)
  const { delivered: _, ...answer } = processOnce(sandbox, { payment_service_id: service, key, path, body: incoming.body }, decided, wording)
  return answer
}

function decide(sandbox: Sandbox, service: string, id: string, key: string, { kind, amount, reference }: Change): Decision | null {
  const found = orderOf(sandbox, service, id)
  if (!found) return null
  const { order, payment } = found
  keep(sandbox, 'order', id, { ...order, operations: [...order.operations, { key, reference }] })
  const operation = { key, kind, amount, currency: payment.currency }
  return {
    result: { ...newResult(sandbox, operation, verdictOn(sandbox, found, kind, amount)), id: `${kind}_${sandbox.ids.next()}`, payment_id: id },
  }
}

/** The books have the first word: an amount that stands for an outcome does not bring back money that is gone. */
function verdictOn(sandbox: Sandbox, { order, payment }: OpenOrder, kind: LaterKind, amount: number): Verdict {
  const extended = { ...payment, authorization_expires_at: order.expires_at }
  const forbidden = refusal(kind, extended, amount, sandbox.clock.now())
  if (forbidden) return { status: forbidden === 'expired_authorization' ? 'declined' : 'failed', code: forbidden }
  if (kind === 'capture' && amount > remaining(sandbox, { order, payment })) return { status: 'failed', code: 'invalid_amount' }
  return verdictFor(kind, amount)
}
