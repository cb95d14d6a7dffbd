import { isDeepStrictEqual } from 'node:util'
import { Compile } from '../../../base/compile.ts'
import { outcomeForAmount } from '../../core/amounts.ts'
import { firstError } from '../../core/first-error.ts'
import type { SimulatedResult } from '../../core/operation.ts'
import { type AnswerFormat, newResult, type OperationDecision, processOnce } from '../../core/processing.ts'
import { type Answer, json } from '../../core/provider-messages.ts'
import type { ProviderRequest } from '../../core/provider-request.ts'
import { type Sandbox, timestamp } from '../../sandbox.ts'
import { type Basket, OrderBody } from './bnpl.schema.ts'
import { findDocument, hasExpired, storeDocument, type Token, timeFromNow } from './documents.ts'
import { errorAnswer, orderRefusal, processingProblem } from './refusals.ts'
import { type KeyedRequest, noContent } from './request.ts'

const ORDER_LIFE_MS = 28 * 24 * 3_600_000

const orderBody = Compile(OrderBody)

/**
 * Places the order that a buyer approved, once for a key: a repeated request gets the same order, whatever
 * happened to the token.
 */
export function placeOrder(
  { sandbox, service, key, incoming: { body } }: KeyedRequest,
  token: string,
): Answer {
  if (!orderBody.Check(body))
    return errorAnswer(400, 'BAD_VALUE', `Bad value: ${firstError(orderBody, body)}`)
  const approval = findDocument(sandbox, service, 'token', token)
  if (!approval) return errorAnswer(404, 'NOT_FOUND', 'Authorization token not found')
  const refusal = sandbox.books.operations.has(key) ? null : tokenRefusal(sandbox, approval, body)
  if (refusal) return refusal
  const request = { payment_service_id: service, key, path: `authorizations/${token}/order`, body }
  // only reading the order reports that it is pending: this answer has no state of its money
  const { delivered: _, ...answer } = processOnce(
    sandbox,
    request,
    () => decideOrder(sandbox, approval, key, body),
    orderFormat,
  )
  return answer
}

function tokenRefusal(sandbox: Sandbox, token: Token, body: Basket): Answer | null {
  if (token.cancelled) return errorAnswer(404, 'NOT_FOUND', 'Authorization token not found')
  if (token.used_by !== null)
    return errorAnswer(403, 'INVALID_OPERATION', 'Authorization token already consumed')
  if (hasExpired(sandbox, token)) return errorAnswer(403, 'INVALID_OPERATION', 'Authorization token expired')
  const differs = !isDeepStrictEqual(basketOf(token.basket), basketOf(body))
  return differs ? errorAnswer(409, 'BAD_VALUE', 'The order does not match what the buyer approved') : null
}

const basketOf = ({ purchase_country, purchase_currency, order_amount, order_lines }: Basket) => ({
  purchase_country,
  purchase_currency,
  order_amount,
  order_lines,
})

/** Whether the provider's test environment declines this buyer. */
const isDenied = ({ billing_address, shipping_address }: OrderBody) =>
  [billing_address, shipping_address].some((address) => /\+denied@/.test(address?.email ?? ''))

const outcomeOfOrder = (kind: 'authorize' | 'sale', body: OrderBody): SimulatedResult =>
  isDenied(body) ? { status: 'declined', code: 'issuer_decline' } : outcomeForAmount(kind, body.order_amount)

function decideOrder(sandbox: Sandbox, token: Token, key: string, body: OrderBody): OperationDecision {
  const { service } = token
  const kind = body.auto_capture ? 'sale' : 'authorize'
  const verdict = outcomeOfOrder(kind, body)
  const isAccepted = verdict.code === null
  const [id, expires_at] = [sandbox.ids.next(), timeFromNow(sandbox, ORDER_LIFE_MS)]
  storeDocument(sandbox, 'token', token.token, { ...token, used_by: key })
  if (isAccepted) {
    const operations = [{ key, reference: null }]
    storeDocument(sandbox, 'order', id, {
      service,
      id,
      body,
      operations,
      released: false,
      created_at: timestamp(sandbox),
      expires_at,
    })
  }
  return {
    result: {
      ...newResult(
        sandbox,
        { key, kind, amount: body.order_amount, currency: body.purchase_currency },
        verdict,
      ),
      id,
      payment_id: id,
      authorization_expires_at: isAccepted && kind === 'authorize' ? expires_at : null,
    },
    opening: { card: null, notification_url: body.merchant_urls?.notification ?? null, provider: 'bnpl' },
  }
}

const orderFormat: AnswerFormat = {
  problem: processingProblem,
  result({ payment_id: order_id, status, code }) {
    if (status === 'declined' || status === 'failed') return orderRefusal(code)
    const fraud_status = status === 'approved' ? 'ACCEPTED' : 'PENDING'
    return json(200, { order_id, fraud_status, authorized_payment_method: { type: 'invoice' } })
  },
}

/** Cancels an approval: no order can be placed with it any more. */
export function cancelAuthorization({ sandbox, service }: ProviderRequest, id: string): Answer {
  const token = findDocument(sandbox, service, 'token', id)
  if (!token || token.used_by !== null) return errorAnswer(404, 'NOT_FOUND', 'Authorization token not found')
  storeDocument(sandbox, 'token', id, { ...token, cancelled: true })
  return noContent
}
