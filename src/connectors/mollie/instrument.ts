import type { Call, PaymentContext, PurchaseForCall } from '../contract/call.ts'
import type { ErrorCode } from '../contract/error-codes.ts'
import {
  type Outcome,
  type ResponseDetails,
  refusedOutcome,
  unprocessedOutcome,
} from '../contract/outcome.ts'
import { readCustomer, readMandate } from './answer.schema.ts'
import type { MollieOptions } from './environment.ts'
import { returnUrls } from './payment-request.ts'
import { refusalIn, send, unsendable } from './wire.ts'

/** What pays, in the members of a payment; or the outcome of a payment that is not sent. */
export type Tender = { body: Record<string, unknown> } | { refusal: Outcome }

const refused = (code: ErrorCode, description: string): Tender => ({ refusal: unsendable(code, description) })

const cardToken = /^tkn_\w+$/
const storedCard = /^(cst_[A-Za-z0-9]+)\/(mdt_[A-Za-z0-9]+)$/

/** What the provider does not offer is refused before any request. */
function unsupported({ instrument, authentication }: PaymentContext): Tender | undefined {
  if (instrument.card)
    return refused('invalid_service_configuration', 'the provider takes no card numbers, only card tokens')
  if (instrument.networkToken)
    return refused('unsupported_payment_method', 'the provider takes no network tokens')
  if (instrument.earlierPayment)
    return refused('unsupported_transaction', 'the provider does not charge the card of an earlier payment')
  return authentication
    ? refused('unsupported_transaction', 'the provider takes no 3-D Secure data of others')
    : undefined
}

/**
 * What pays: a card token of the provider's script; a stored card; or, without either, a card that the buyer
 * enters on the provider's page.
 */
export async function tenderOf(
  options: MollieOptions,
  call: Call,
  payment: PaymentContext,
  purchase: PurchaseForCall,
): Promise<Tender> {
  const problem = unsupported(payment)
  if (problem) return problem
  const { instrument } = payment
  const page = returnUrls(purchase)
  if (instrument.serviceToken !== undefined) return storedTender(options, call, payment, page)
  const token = instrument.providerToken
  if (token === undefined && !payment.canChallenge)
    return refused(
      'missing_redirect_url',
      'the buyer enters the card on the provider’s page, and has none to come back to',
    )
  if (token !== undefined && (typeof token !== 'string' || !cardToken.test(token)))
    return refused('invalid_payment_method', 'the provider’s card tokens begin with tkn_')
  const body = { ...page, ...(token !== undefined && { cardToken: token }) }
  if (!payment.storesInstrument) return { body }
  const customer = await openCustomer(options, call, purchase)
  return 'refusal' in customer
    ? customer
    : { body: { ...body, sequenceType: 'first', customerId: customer.id } }
}

/**
 * The merchant charges a stored card without its buyer. A buyer who pays with a stored card chooses it on the
 * provider's page, since only there the issuer can authenticate them.
 */
async function storedTender(
  options: MollieOptions,
  call: Call,
  { instrument, storedCredential, canChallenge }: PaymentContext,
  page: ReturnType<typeof returnUrls>,
): Promise<Tender> {
  const [, customer, mandate] = storedCard.exec(instrument.serviceToken ?? '') ?? []
  if (customer === undefined || mandate === undefined)
    return refused('invalid_payment_method', 'the stored card is none of the provider’s')
  if (storedCredential?.initiator !== 'merchant')
    return canChallenge
      ? { body: { ...page, customerId: customer } }
      : refused('missing_redirect_url', 'the buyer confirms the stored card on the provider’s page')
  return (
    (await mandateProblem(options, call, customer, mandate)) ?? {
      body: { sequenceType: 'recurring', customerId: customer, mandateId: mandate },
    }
  )
}

/** The card is charged only under a mandate that is valid. */
async function mandateProblem(
  options: MollieOptions,
  call: Call,
  customer: string,
  mandate: string,
): Promise<Tender | undefined> {
  const answer = await send(options, call, {
    method: 'GET',
    path: `/customers/${customer}/mandates/${mandate}`,
  })
  const read = refusalIn(answer)
  if ('refusal' in read) return { refusal: beforePayment(read.refusal) }
  const status = readMandate(read.answer.body)?.status
  if (status === 'valid') return undefined
  const details: ResponseDetails = { raw_response_code: `mandate ${status ?? 'unreadable'}` }
  if (status === undefined) return { refusal: unprocessedOutcome('service_error', details) }
  return {
    refusal: refusedOutcome(status === 'invalid' ? 'canceled_payment_method' : 'other_decline', details),
  }
}

/** A customer of the provider, which its mandates belong to. It moves no money. */
async function openCustomer(
  options: MollieOptions,
  call: Call,
  { buyer }: PurchaseForCall,
): Promise<{ id: string } | { refusal: Outcome }> {
  const answer = await send(options, call, {
    path: '/customers',
    body: {
      ...(buyer?.name && { name: buyer.name }),
      ...(buyer?.email && { email: buyer.email }),
      metadata: { operation_id: call.operation.id, ...(buyer?.id && { buyer_id: buyer.id }) },
    },
    idempotencyKey: `${call.operation.id}-customer`,
  })
  const read = refusalIn(answer)
  if ('refusal' in read) return { refusal: beforePayment(read.refusal) }
  const id = readCustomer(read.answer.body)
  return id === undefined
    ? { refusal: unprocessedOutcome('service_error', { raw_response_code: 'customer unreadable' }) }
    : { id }
}

/** The outcome of a payment whose preparation failed: the payment itself was not sent. */
const beforePayment = (outcome: Outcome): Outcome => {
  if (outcome.status === 'unknown')
    return unprocessedOutcome('service_error', { raw_response_code: outcome.reason })
  return 'code' in outcome ? unprocessedOutcome(outcome.code, outcome.facts) : outcome
}
