import { isDeepStrictEqual } from 'node:util'
import { Compile } from 'typebox/compile'
import { verdictFor } from '../amounts.ts'
import type { Verdict } from '../operation.ts'
import { type Decision, newResult, processOnce, type Wording } from '../processing.ts'
import { type Answer, json } from '../provider.ts'
import { type Sandbox, timestamp } from '../sandbox.ts'
import { firstError } from '../shape.ts'
import { type Basket, OrderBody } from './bnpl.schema.ts'
import { documentOf, isOver, keep, type Token, timeAhead } from './documents.ts'
import { problem, refused, refusedOrder } from './refusals.ts'
import { done, type KeyedRequest, type Request } from './request.ts'

const ORDER_LIFE_MS = 28 * 24 * 3_600_000

const orderBody = Compile(OrderBody)

/** Places the order that a buyer approved, once for a key: who asks again is answered with the same order, whatever became of the token. */
export function placeOrder({ sandbox, service, key, incoming: { body } }: KeyedRequest, token: string): Answer {
  if (!orderBody.Check(body)) return refused(400, 'BAD_VALUE', `Bad value: ${firstError(orderBody, body)}`)
  const approval = documentOf(sandbox, service, 'token', token)
  if (!approval) return refused(404, 'NOT_FOUND', 'Authorization token not found')
  const refusal = sandbox.books.operations.has(key) ? null : tokenRefusal(sandbox, approval, body)
  if (refusal) return refusal
  const request = { payment_service_id: service, key, path: `authorizations/${token}/order`, body }
  // told of a pending order is who has read it: the answer here names no state of its money
  const { delivered: _, ...answer } = processOnce(sandbox, request, () => decide(sandbox, approval, key, body), wording)
  return answer
}

function tokenRefusal(sandbox: Sandbox, token: Token, body: Basket): Answer | null {
  if (token.cancelled) return refused(404, 'NOT_FOUND', 'Authorization token not found')
  if (token.used_by !== null) return refused(403, 'INVALID_OPERATION', 'Authorization token already consumed')
  if (isOver(sandbox, token)) return refused(403, 'INVALID_OPERATION', 'Authorization token expired')
  const differs = !isDeepStrictEqual(basketOf(token.basket), basketOf(body))
  return differs ? refused(409, 'BAD_VALUE', 'The order does not match what the buyer approved') : null
}

const basketOf = ({ purchase_country, purchase_currency, order_amount, order_lines }: Basket) => ({
  purchase_country,
  purchase_currency,
  order_amount,
  order_lines,
})

/** The buyers whom the provider's test environment declines. */
const isDenied = ({ billing_address, shipping_address }: OrderBody) =>
  [billing_address, shipping_address].some((address) => /\+denied@/.test(address?.email ?? ''))

const verdictOn = (kind: 'authorize' | 'sale', body: OrderBody): Verdict =>
  isDenied(body) ? { status: 'declined', code: 'issuer_decline' } : verdictFor(kind, body.order_amount)

function decide(sandbox: Sandbox, token: Token, key: string, body: OrderBody): Decision {
  const { service } = token
  const kind = body.auto_capture ? 'sale' : 'authorize'
  const verdict = verdictOn(kind, body)
  const holds = verdict.code === null
  const [id, expires_at] = [sandbox.ids.next(), timeAhead(sandbox, ORDER_LIFE_MS)]
  keep(sandbox, 'token', token.token, { ...token, used_by: key })
  if (holds) {
    const operations = [{ key, reference: null }]
    keep(sandbox, 'order', id, { service, id, body, operations, released: false, created_at: timestamp(sandbox), expires_at })
  }
  return {
    result: {
      ...newResult(sandbox, { key, kind, amount: body.order_amount, currency: body.purchase_currency }, verdict),
      id,
      payment_id: id,
      authorization_expires_at: holds && kind === 'authorize' ? expires_at : null,
    },
    opening: { card: null, notification_url: body.merchant_urls?.notification ?? null, provider: 'bnpl' },
  }
}

const wording: Wording = {
  problem,
  result({ payment_id: order_id, status, code }) {
    if (status === 'declined' || status === 'failed') return refusedOrder(code)
    const fraud_status = status === 'approved' ? 'ACCEPTED' : 'PENDING'
    return json(200, { order_id, fraud_status, authorized_payment_method: { type: 'invoice' } })
  },
}

/** The merchant has no use for the approval: nothing can be bought with it any more. */
export function cancelAuthorization({ sandbox, service }: Request, id: string): Answer {
  const token = documentOf(sandbox, service, 'token', id)
  if (!token || token.used_by !== null) return refused(404, 'NOT_FOUND', 'Authorization token not found')
  keep(sandbox, 'token', id, { ...token, cancelled: true })
  return done
}
