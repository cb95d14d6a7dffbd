import { Compile } from '../../../base/compile.ts'
import { outcomeForAmount } from '../../core/amounts.ts'
import type { BookedOperation } from '../../core/books.ts'
import type { Result, SimulatedResult } from '../../core/operation.ts'
import { forbiddenReason, forbiddenResult } from '../../core/operation-rules.ts'
import { type AnswerFormat, newResult, type OperationDecision, processOnce } from '../../core/processing.ts'
import { type Answer, json } from '../../core/provider-messages.ts'
import type { Sandbox } from '../../sandbox.ts'
import { notFound, walletError } from './errors.ts'
import { type Money, minorUnits } from './money.ts'
import { CaptureRequest, PayRequest, RefundRequest } from './order.schema.ts'
import {
  isPaid,
  isStoredAccount,
  movementOf,
  orderOf,
  refundedOf,
  saveOrder,
  storeAccount,
  type WalletOrder,
  walletId,
} from './order.ts'
import { refusalFormFor } from './refusal-codes.ts'
import { showAuthorization, showCapture, showOrder, showRefund } from './representation.ts'
import { notifyOutcome, notifyStoredAccount, type Signer } from './webhooks.ts'

/** An authenticated request that moves money. */
export interface MoneyCall {
  sandbox: Sandbox
  signer: Signer
  service: string
  /** The caller's request id, which is the idempotency key. */
  key: string
  body: unknown
}

const authorizationLifeMs = 29 * 86_400_000

/** POST /v2/checkout/orders/{id}/authorize and …/capture: takes the money that the buyer approved. */
export function payOrder(call: MoneyCall, id: string, kind: 'authorize' | 'sale'): Answer {
  const { sandbox, service } = call
  const order = orderOf(sandbox, service, id)
  if (!order) return notFound
  if (!payRequest.Check(call.body)) return walletError(400, 'INVALID_PARAMETER_SYNTAX')
  const account = call.body.payment_source?.paypal.vault_id
  const issue = sandbox.books.operations.has(call.key) ? null : paymentIssue(sandbox, order, kind, account)
  if (issue) return walletError(422, issue)
  return processMoneyCall(call, order, `orders/${id}/${kind}`, () => {
    const amount = minorUnits(order.unit.amount)
    const verdict: SimulatedResult =
      order.funding === 'refused'
        ? { status: 'declined', code: 'issuer_decline' }
        : outcomeForAmount(kind, amount)
    const holds = kind === 'authorize' && verdict.code === null
    const expiry = holds ? new Date(sandbox.clock.now() + authorizationLifeMs).toISOString() : null
    const result = resultOf(call, order, kind, amount, verdict)
    if (verdict.code === null) savePaidOrder(call, order, account)
    return {
      result: { ...result, authorization_expires_at: expiry },
      opening: { card: null, notification_url: order.webhook?.url ?? null, provider: 'wallet' },
    }
  })
}

/** Keeps the account that the payment stores, or by which it is paid: no buyer has approved such an order. */
function savePaidOrder(
  { sandbox, signer }: MoneyCall,
  order: WalletOrder,
  account: string | undefined,
): void {
  if (account !== undefined) saveOrder(sandbox, { ...order, approved: true, account })
  else if (order.stores) {
    const stored = storeAccount(sandbox, order)
    saveOrder(sandbox, { ...order, account: stored })
    void notifyStoredAccount(sandbox, signer, order, stored).catch(() => undefined)
  }
}

const payRequest = Compile(PayRequest)

function paymentIssue(
  sandbox: Sandbox,
  order: WalletOrder,
  kind: 'authorize' | 'sale',
  account: string | undefined,
): string | null {
  if (isPaid(sandbox, order)) return kind === 'sale' ? 'ORDER_ALREADY_CAPTURED' : 'ORDER_ALREADY_AUTHORIZED'
  const fits = order.intent === (kind === 'sale' ? 'CAPTURE' : 'AUTHORIZE')
  if (!fits) return kind === 'sale' ? 'INCOMPATIBLE_PARAMETER_VALUE' : 'ACTION_DOES_NOT_MATCH_INTENT'
  if (account !== undefined)
    return isStoredAccount(sandbox, order.payment_service_id, account) ? null : 'TOKEN_ID_NOT_FOUND'
  return order.approved ? null : 'ORDER_NOT_APPROVED'
}

const captureRequest = Compile(CaptureRequest)
const refundRequest = Compile(RefundRequest)

/** POST /v2/payments/authorizations/{id}/capture. */
export function captureAuthorization(call: MoneyCall, id: string): Answer {
  const { sandbox, service, body } = call
  const found = movementOf(sandbox, service, id)
  if (found?.booked.result.kind !== 'authorize') return notFound
  if (!captureRequest.Check(body)) return walletError(400, 'INVALID_PARAMETER_SYNTAX')
  const { order } = found
  const payment = sandbox.books.payments.get(order.id)
  const remaining = (payment?.authorized ?? 0) - (payment?.captured ?? 0) - (payment?.pending.capture ?? 0)
  const amount = body.amount ? minorUnits(body.amount) : remaining
  const issue =
    invoiceIssue(call, order, body.invoice_id) ??
    currencyIssue(order, body.amount, 'AUTH_CAPTURE_CURRENCY_MISMATCH')
  if (issue) return walletError(422, issue)
  return processMoneyCall(call, order, `authorizations/${id}/capture`, () => {
    const verdict =
      amount > remaining && payment?.authorization === 'approved' && !payment.final
        ? tooMuch
        : outcomeOfOperation(sandbox, order, 'capture', amount)
    const result = resultOf(call, order, 'capture', amount, verdict)
    remember(sandbox, order, result.id, body.invoice_id)
    return { result, final: body.final_capture ?? false }
  })
}

/** The result of a capture above the authorized amount, and of a refund above the captured one. */
const tooMuch: SimulatedResult = { status: 'failed', code: 'invalid_amount' }

/** POST /v2/payments/captures/{id}/refund. */
export function refundCapture(call: MoneyCall, id: string): Answer {
  const { sandbox, service, body } = call
  const found = movementOf(sandbox, service, id)
  if (found?.booked.result.kind !== 'capture' && found?.booked.result.kind !== 'sale') return notFound
  if (!refundRequest.Check(body)) return walletError(400, 'INVALID_PARAMETER_SYNTAX')
  const { order } = found
  const left = found.booked.result.amount - refundedOf(sandbox, order, id, ['approved', 'pending'])
  const amount = body.amount ? minorUnits(body.amount) : left
  const issue =
    invoiceIssue(call, order, body.invoice_id) ??
    currencyIssue(order, body.amount, 'REFUND_CAPTURE_CURRENCY_MISMATCH')
  if (issue) return walletError(422, issue)
  return processMoneyCall(call, order, `captures/${id}/refund`, () => {
    const result = resultOf(call, order, 'refund', amount, refundResult(sandbox, found, amount, left))
    remember(sandbox, order, result.id, body.invoice_id, id)
    return { result }
  })
}

/** A refund is of one capture, which must have been made, and have this amount left. */
function refundResult(
  sandbox: Sandbox,
  { order, booked }: { order: WalletOrder; booked: BookedOperation },
  amount: number,
  left: number,
): SimulatedResult {
  const verdict = outcomeOfOperation(sandbox, order, 'refund', amount)
  if (booked.result.status !== 'approved') return forbiddenResult('unexpected_state')
  return amount > left && verdict.code === null ? tooMuch : verdict
}

/** POST /v2/payments/authorizations/{id}/void. A pending authorization ends before it reserves money. */
export function voidAuthorization(call: MoneyCall, id: string): Answer {
  const { sandbox, service } = call
  const found = movementOf(sandbox, service, id)
  if (found?.booked.result.kind !== 'authorize') return notFound
  const { order, booked } = found
  return processMoneyCall(call, order, `authorizations/${id}/void`, () => {
    const kind = releaseKind(sandbox, order.id)
    const amount = sandbox.books.payments.get(order.id)?.authorized || booked.result.amount
    return { result: resultOf(call, order, kind, amount, outcomeOfOperation(sandbox, order, kind, amount)) }
  })
}

export const releaseKind = ({ books }: Sandbox, order: string): 'void' | 'cancel' =>
  books.payments.get(order)?.authorization === 'pending' ? 'cancel' : 'void'

/**
 * The books decide first. An expired authorization is a decline; every other contradiction is a caller's
 * mistake.
 */
function outcomeOfOperation(
  sandbox: Sandbox,
  order: WalletOrder,
  kind: 'capture' | 'void' | 'cancel' | 'refund',
  amount: number,
): SimulatedResult {
  const payment = sandbox.books.payments.get(order.id)
  const refused = payment ? forbiddenReason(kind, payment, amount, sandbox.clock.now()) : 'unexpected_state'
  if (!refused) return outcomeForAmount(kind, amount)
  return forbiddenResult(refused)
}

const currencyIssue = (order: WalletOrder, money: Money | undefined, issue: string) =>
  money && money.currency_code !== order.unit.amount.currency_code ? issue : null

/** An invoice id can be used for one capture or refund. */
const invoiceIssue = ({ sandbox, key }: MoneyCall, order: WalletOrder, invoice: string | undefined) =>
  invoice && !sandbox.books.operations.has(key) && Object.values(order.invoices).includes(invoice)
    ? 'DUPLICATE_INVOICE_ID'
    : null

/** Keeps the invoice id of a capture or refund, and the capture of a refund. */
function remember(
  sandbox: Sandbox,
  order: WalletOrder,
  movement: string,
  invoice: string | undefined,
  capture?: string,
): void {
  saveOrder(sandbox, {
    ...order,
    invoices: { ...order.invoices, ...(invoice && { [movement]: invoice }) },
    refundedCaptures: { ...order.refundedCaptures, ...(capture && { [movement]: capture }) },
  })
}

function resultOf(
  { sandbox, key }: MoneyCall,
  order: WalletOrder,
  kind: Result['kind'],
  amount: number,
  verdict: SimulatedResult,
): Result {
  const operation = { key, kind, amount, currency: order.unit.amount.currency_code }
  return { ...newResult(sandbox, operation, verdict), id: walletId(sandbox), payment_id: order.id }
}

function processMoneyCall(
  call: MoneyCall,
  order: WalletOrder,
  path: string,
  decide: () => OperationDecision,
): Answer {
  const { sandbox, signer, service, key, body } = call
  if (sandbox.inProgress.has(key)) return walletError(409, 'PREVIOUS_REQUEST_IN_PROGRESS')
  const wording: AnswerFormat = {
    result(result, status) {
      const current = orderOf(sandbox, service, order.id) ?? order
      if (status === 201) void notifyOutcome(sandbox, signer, current, result).catch(() => undefined)
      return formatResult(sandbox, current, result, status)
    },
    problem: (status) => (status === 404 ? notFound : walletError(409)),
  }
  return processOnce(sandbox, { payment_service_id: service, key, path, body }, decide, wording)
}

/**
 * A repeated request gets the current state. Only for orders does the status differ from the first answer.
 */
function formatResult(sandbox: Sandbox, order: WalletOrder, result: Result, status: 200 | 201): Answer {
  const form =
    result.code === null || result.code === 'canceled' ? null : refusalFormFor(result.kind, result.code)
  if (form && 'refusal' in form) return walletError(form.refusal, form.issue)
  switch (result.kind) {
    case 'capture':
      return json(201, showCapture(sandbox, order, result))
    case 'refund':
      return json(201, showRefund(order, result))
    case 'void':
    case 'cancel': {
      const opening = sandbox.books.operations.get(sandbox.books.payments.get(order.id)?.opened_by ?? '')
      return opening ? json(200, showAuthorization(sandbox, order, opening.result)) : notFound
    }
    default:
      return json(status, showOrder(sandbox, order))
  }
}
