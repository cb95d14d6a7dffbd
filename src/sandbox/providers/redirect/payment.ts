import { Type } from 'typebox'
import { Compile } from '../../../base/compile.ts'
import { outcomeForAmount } from '../../core/amounts.ts'
import { firstError } from '../../core/first-error.ts'
import type { SimulatedResult } from '../../core/operation.ts'
import { newResult, type OperationDecision, processOnce } from '../../core/processing.ts'
import { type Answer, badRequest, problem } from '../../core/provider-messages.ts'
import type { ProviderRequest } from '../../core/provider-request.ts'
import { orderOf, storeOrder } from './order.ts'

const paymentBody = Compile(
  Type.Object({
    kind: Type.Union([Type.Literal('authorize'), Type.Literal('sale')]),
    order_id: Type.Union([Type.String(), Type.Null()]),
    amount: Type.Integer({ minimum: 1 }),
    currency: Type.String(),
    settles: Type.Union([Type.Literal('at once'), Type.Literal('later')]),
    notification_url: Type.String(),
  }),
)

const AUTHORIZATION_LIFE_MS = 7 * 24 * 3_600_000

/** An approval by a method whose money comes later is pending at first; a refusal is known at once. */
const asPending = (verdict: SimulatedResult): SimulatedResult =>
  verdict.status === 'approved' ? { status: 'pending', code: null } : verdict

/** Pays an approved order: once, and with the approved amount. */
export function payOrder({ sandbox, service, incoming: { body } }: ProviderRequest, key: string): Answer {
  if (!paymentBody.Check(body)) return badRequest(firstError(paymentBody, body))
  const order = orderOf(sandbox, service, body.order_id ?? '')
  const isUnpaidOrOwn = order?.paid_by === null || order?.paid_by === key
  if (order?.status !== 'approved' || !isUnpaidOrOwn)
    return problem(404, 'no_approval', 'there is no such order that was approved and is not paid')
  if (order.body.amount !== body.amount || order.body.currency !== body.currency)
    return badRequest('the buyer has approved another amount')
  const decide = (): OperationDecision => {
    const verdict = outcomeForAmount(body.kind, body.amount)
    const id = sandbox.ids.next()
    const { kind, amount, currency } = body
    const expiry = new Date(sandbox.clock.now() + AUTHORIZATION_LIFE_MS).toISOString()
    storeOrder(sandbox, { ...order, paid_by: key })
    return {
      result: {
        ...newResult(
          sandbox,
          { key, kind, amount, currency },
          body.settles === 'later' ? asPending(verdict) : verdict,
        ),
        id: `${kind === 'sale' ? 'sal' : 'aut'}_${id}`,
        payment_id: `pay_${id}`,
        authorization_expires_at: verdict.code === null && kind === 'authorize' ? expiry : null,
      },
      opening: { card: null, notification_url: body.notification_url, provider: 'redirect' },
    }
  }
  return processOnce(sandbox, { payment_service_id: service, key, path: 'payments', body }, decide)
}
