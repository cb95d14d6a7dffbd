import type { Call } from '../contract/call.ts'
import { type Outcome, unknownOutcome } from '../contract/outcome.ts'
import type { HttpAnswer } from '../wire/http-message.ts'
import { operationOf, type Payment, readPayment } from './answer.schema.ts'
import type { MollieOptions } from './environment.ts'
import { tenderOf } from './instrument.ts'
import type { MollieMethod } from './methods.ts'
import { fromMoney } from './money.ts'
import { paymentOutcome } from './payment-outcome.ts'
import { addressesOf, paymentBody, returnUrls, toLines } from './payment-request.ts'
import { paymentPath, refusalIn, send, unsendable } from './wire.ts'

/** Authorizes or sells a card. */
export async function payByCard(options: MollieOptions, call: Call): Promise<Outcome> {
  if (!call.payment) return unsendable('unexpected_state', 'there is no instrument')
  if (call.operation.amount <= 0) return unsendable('invalid_amount', 'the provider verifies no cards')
  const purchase = await call.payment.purchase()
  const tender = await tenderOf(options, call, call.payment, purchase)
  if ('refusal' in tender) return tender.refusal
  return create(options, call, {
    ...paymentBody(call, purchase),
    ...addressesOf(purchase),
    method: 'creditcard',
    captureMode: captureModeOf(call),
    ...tender.body,
  })
}

/** Opens the provider's page of a payment method, on which the buyer pays. */
export async function openPage(options: MollieOptions, method: MollieMethod, call: Call): Promise<Outcome> {
  const { payment, operation } = call
  if (!payment?.order) return unsendable('missing_redirect_url', 'the buyer has no page to come back to')
  if (operation.amount <= 0) return unsendable('invalid_amount', 'there is nothing to pay')
  return create(options, call, {
    ...paymentBody(call, payment.order),
    ...returnUrls(payment.order),
    ...addressesOf(payment.order),
    method: method.type,
    ...(method.delayedCapture && {
      captureMode: captureModeOf(call),
      lines: toLines(call, payment.order),
    }),
  })
}

const captureModeOf = ({ operation }: Call) => (operation.kind === 'authorize' ? 'manual' : 'automatic')

async function create(
  options: MollieOptions,
  call: Call,
  body: Readonly<Record<string, unknown>>,
): Promise<Outcome> {
  const answer = await send(options, call, { path: '/payments', body, idempotencyKey: call.operation.id })
  const payment = createdPayment(call, answer)
  if ('refusal' in payment) return payment.refusal
  const outcome = paymentOutcome(call, payment)
  // the buyer gets no link to it; where the provider can, it is ended at once
  if ('code' in outcome && outcome.code === 'requires_buyer_authentication' && payment.isCancelable)
    await send(options, call, { method: 'DELETE', path: paymentPath(payment.id) })
  return outcome
}

function createdPayment(call: Call, answer: HttpAnswer | null): Payment | { refusal: Outcome } {
  const read = refusalIn(answer)
  if ('refusal' in read) return read
  const payment = readPayment(read.answer.body)
  const { id, amount, currency } = call.operation
  const isOurs = payment && operationOf(payment) === id && fromMoney(payment.amount, currency) === amount
  return isOurs ? payment : { refusal: unknownOutcome('the answer belongs to another request') }
}
