import type { Call } from '../contract/call.ts'
import { type Outcome, unknownOutcome } from '../contract/outcome.ts'
import { readPayment } from './answer.schema.ts'
import type { CheckoutOptions } from './environment.ts'
import { paymentOutcome } from './payment-outcome.ts'
import { paymentRequest } from './payment-request.ts'
import { refusalIn, sendOperation, unsendable } from './wire.ts'

/** Authorizes or sells; an amount of 0 verifies the card. */
export async function pay(options: CheckoutOptions, call: Call): Promise<Outcome> {
  if (!call.payment) return unsendable('unexpected_state', 'there is no instrument')
  const request = await paymentRequest(call, call.payment)
  if ('refused' in request) return unsendable(request.refused, request.reason)
  const read = refusalIn(await sendOperation(options, call, '/payments', request.body))
  if ('refusal' in read) return read.refusal
  const payment = readPayment(read.answer.body)
  return payment ? paymentOutcome(call, payment) : unknownOutcome('the answer cannot be read')
}
