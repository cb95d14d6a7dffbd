import type { Call, Instrument, PayoutContext, PayoutSender, ServiceForCall } from '../contract/call.ts'
import type { ErrorCode } from '../contract/error-codes.ts'
import { type Outcome, unknownOutcome } from '../contract/outcome.ts'
import { toCheckoutAmount } from './amount.ts'
import { readPayment } from './answer.schema.ts'
import { toAddress } from './buyer.ts'
import type { CheckoutOptions } from './environment.ts'
import { toSource } from './instrument.ts'
import { paymentOutcome } from './payment-outcome.ts'
import { refusalIn, sendOperation, unsendable } from './wire.ts'

/** Pays out to a card, from a currency account of the merchant at Checkout.com. */
export async function payOut(options: CheckoutOptions, call: Call): Promise<Outcome> {
  const request = payoutRequest(call)
  if ('refused' in request) return unsendable(request.refused, request.reason)
  const read = refusalIn(await sendOperation(options, call, '/payments', request.body))
  if ('refusal' in read) return read.refusal
  const payment = readPayment(read.answer.body)
  return payment ? paymentOutcome(call, payment) : unknownOutcome('the answer cannot be read')
}

type PayoutRequest = { body: Record<string, unknown> } | { refused: ErrorCode; reason: string }

function payoutRequest({ operation, payout, service: { fields } }: Call): PayoutRequest {
  if (!payout) return { refused: 'unexpected_state', reason: 'there is no card to pay out to' }
  const account = fields['currency_account_id']
  if (!account)
    return { refused: 'invalid_service_configuration', reason: 'the service has no currency_account_id' }
  // which transfer type the schemes want of winnings is not in Checkout.com's contract
  if (payout.category !== null)
    return { refused: 'unsupported_transaction', reason: 'payouts of this category are not offered here' }
  const amount = toCheckoutAmount(operation.amount, operation.currency)
  if (amount === undefined)
    return { refused: 'invalid_amount', reason: 'the provider does not take this amount' }
  const read = toDestination(payout.instrument, fields)
  if ('refused' in read) return read
  const channel = fields['processing_channel_id']
  return {
    body: {
      source: { type: 'currency_account', id: account },
      destination: read.destination,
      amount,
      currency: operation.currency,
      reference: operation.id,
      ...(channel && { processing_channel_id: channel }),
      ...senderMembers(payout),
    },
  }
}

/** The members of a source that a destination has, too. */
const destinationMembers = [
  ...['type', 'number', 'token', 'token_type', 'id'],
  ...['expiry_month', 'expiry_year'],
]

function toDestination(instrument: Instrument, fields: ServiceForCall['fields']) {
  const read = toSource({ instrument, storesInstrument: false }, fields, null)
  if ('refused' in read) return read
  const members = Object.entries(read.source).filter(([member]) => destinationMembers.includes(member))
  return { destination: Object.fromEntries(members) }
}

const senderMembers = ({ merchant }: PayoutContext): Record<string, unknown> =>
  merchant
    ? {
        sender: toSender(merchant),
        billing_descriptor: { reference: merchant.statement_descriptor },
      }
    : {}

function toSender({ name, identification_number, address }: PayoutSender): Record<string, unknown> {
  const place = toAddress(address)
  return {
    type: 'corporate',
    company_name: name,
    reference: identification_number,
    ...(place && { address: place }),
  }
}
