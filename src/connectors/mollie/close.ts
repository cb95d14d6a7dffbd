import type { Call } from '../contract/call.ts'
import { absent, type BookFinding, found, unsure } from '../contract/outcome.ts'
import { closedOperationOf, operationOf, readPayment } from './answer.schema.ts'
import type { MollieOptions } from './environment.ts'
import { toMoney } from './money.ts'
import { paymentOutcome } from './payment-outcome.ts'
import { returnUrls } from './payment-request.ts'
import { paymentPath, refusalIn, send } from './wire.ts'

/**
 * Makes the absence of a card payment final. The provider refuses a key that comes with other parameters, so
 * the key is spent on a payment that takes no money: a page that no buyer gets, and that expires. From then on
 * the lost request, should it still arrive, is refused. If the key was spent before, the lost request has
 * arrived, and the books will tell.
 */
export async function closeKey(options: MollieOptions, call: Call): Promise<BookFinding> {
  const { id, amount, currency } = call.operation
  if (!call.payment) return unsure
  const purchase = await call.payment.purchase()
  const answer = await send(options, call, {
    path: '/payments',
    body: {
      amount: toMoney(amount, currency),
      description: 'Closed by Railyard',
      ...returnUrls(purchase),
      method: 'creditcard',
      metadata: { closed_operation_id: id },
    },
    idempotencyKey: id,
  })
  const read = refusalIn(answer)
  const payment = 'answer' in read ? readPayment(read.answer.body) : undefined
  if (!payment) return unsure
  if (closedOperationOf(payment) === id) {
    if (payment.isCancelable) await send(options, call, { method: 'DELETE', path: paymentPath(payment.id) })
    return absent
  }
  return operationOf(payment) === id ? found(paymentOutcome(call, payment)) : unsure
}
