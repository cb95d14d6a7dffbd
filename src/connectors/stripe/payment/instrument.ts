import type { Call, CardForCall, PaymentContext } from '../../contract/call.ts'
import type { Outcome } from '../../contract/outcome.ts'
import { unknownOutcome } from '../../contract/outcome.ts'
import { takesCardNumbers } from '../../wire/definition-fields.ts'
import { readId } from '../answer.schema.ts'
import { operationMetadata } from '../metadata.ts'
import type { Body, Wire } from '../wire.ts'
import { billingDetails } from './buyer.ts'
import { notSent, toRefusal } from './outcome.ts'

/** What pays, as the request that confirms an intent names it. */
export interface Paying {
  /** The members of the request that confirms. */
  confirm: Body
  /** The customer that the stored method belongs to, or will belong to. */
  customer: string | undefined
}

export type Prepared = { paying: Paying } | { refused: Outcome }

const refuse = (outcome: Outcome): Prepared => ({ refused: outcome })

/**
 * Makes what pays ready: a method that Stripe stores, a token of its browser script, or a card, which becomes
 * a method first. None of these requests moves money.
 */
export async function prepareInstrument(wire: Wire, call: Call, payment: PaymentContext): Promise<Prepared> {
  const { card, serviceToken, providerToken, networkToken, earlierPayment } = payment.instrument
  if (serviceToken !== undefined) return storedMethod(payment, serviceToken)
  const customer = await customerFor(wire, call, payment)
  if ('refused' in customer) return customer
  if (typeof providerToken === 'string') return browserToken(wire, call, providerToken, customer.id)
  if (providerToken !== undefined)
    return refuse(notSent('invalid_payment_method', 'Stripe has no encrypted fields: send its token'))
  if (networkToken || earlierPayment !== undefined)
    return refuse(notSent('unsupported_payment_method', 'Stripe does not take what pays'))
  if (!card) return refuse(notSent('invalid_payment_method', 'nothing pays'))
  if (!takesCardNumbers(call.service.fields))
    return refuse(notSent('invalid_service_configuration', 'the service refuses card numbers'))
  return method(wire, call, cardFields(card), customer.id)
}

/** `cus_…/pm_…`, or the method alone if the customer is in the options. */
function storedMethod(payment: PaymentContext, token: string): Prepared {
  const [first = '', second] = token.split('/')
  const customer = second === undefined ? customerOption(payment) : first
  return { paying: { confirm: { payment_method: second ?? first }, customer } }
}

/** The method or the confirmation token of a browser script, as its prefix says. */
async function browserToken(
  wire: Wire,
  call: Call,
  token: string,
  customer: string | undefined,
): Promise<Prepared> {
  if (token.startsWith('ctoken_')) return { paying: { confirm: { confirmation_token: token }, customer } }
  if (token.startsWith('pm_')) return { paying: { confirm: { payment_method: token }, customer } }
  if (token.startsWith('tok_')) return method(wire, call, { token }, customer)
  return refuse(notSent('invalid_payment_method', 'the token is none of pm_, ctoken_ and tok_'))
}

function cardFields({ number, expirationDate, securityCode }: CardForCall): Body {
  const [month, year] = expirationDate.split('/')
  return { number, exp_month: Number(month), exp_year: 2000 + Number(year), cvc: securityCode }
}

async function method(wire: Wire, call: Call, card: Body, customer: string | undefined): Promise<Prepared> {
  const purchase = await call.payment?.purchase()
  const body = { type: 'card', card, billing_details: purchase && billingDetails(purchase) }
  const answer = await wire.post(call, '/v1/payment_methods', body, `${call.operation.id}-method`)
  const id = toIdOrRefusal(answer)
  return typeof id === 'string' ? { paying: { confirm: { payment_method: id }, customer } } : refuse(id)
}

const customerOption = ({ options }: PaymentContext): string | undefined =>
  typeof options['customer_id'] === 'string' && options['customer_id'] !== ''
    ? options['customer_id']
    : undefined

/** The customer of the options; else a new one, if the payment stores the method. */
async function customerFor(
  wire: Wire,
  call: Call,
  payment: PaymentContext,
): Promise<{ id: string | undefined } | { refused: Outcome }> {
  const given = customerOption(payment)
  if (given !== undefined || !payment.storesInstrument) return { id: given }
  const { buyer } = await payment.purchase()
  const body = { name: buyer?.name, email: buyer?.email, metadata: operationMetadata(call.operation) }
  const answer = await wire.post(call, '/v1/customers', body, `${call.operation.id}-customer`)
  const id = toIdOrRefusal(answer)
  return typeof id === 'string' ? { id } : { refused: id }
}

function toIdOrRefusal(answer: Awaited<ReturnType<Wire['post']>>): string | Outcome {
  const refusal = toRefusal(answer)
  if (refusal) return refusal
  const id = answer.lost ? undefined : readId(answer.body)
  return id ?? unknownOutcome('the answer has no id')
}
