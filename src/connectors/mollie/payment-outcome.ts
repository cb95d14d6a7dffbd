import type { Call } from '../contract/call.ts'
import {
  type Outcome,
  type References,
  type ResponseDetails,
  refusedOutcome,
  type StoredCardDetails,
  unknownOutcome,
} from '../contract/outcome.ts'
import { toExpiry } from '../wire/card-expiry.ts'
import { nonEmptyText } from '../wire/provider-text.ts'
import type { Details, Payment } from './answer.schema.ts'
import { declines } from './declines.ts'
import { fromMoney } from './money.ts'

/** What a payment's status means for the operation that made it. */
type Meaning = 'waiting' | 'authorized' | 'paid' | 'ended' | 'refused'

export const meanings: Readonly<Record<string, Meaning>> = {
  open: 'waiting',
  pending: 'waiting',
  authorized: 'authorized',
  paid: 'paid',
  canceled: 'ended',
  expired: 'ended',
  failed: 'refused',
}

/** The outcome of the operation that made this payment. */
export function paymentOutcome(call: Call, payment: Payment): Outcome {
  const references: References = { transaction: payment.id }
  const facts = factsOf(payment)
  switch (meanings[payment.status]) {
    case 'waiting':
      return waiting(call, payment, facts, references)
    case 'authorized':
      // a payment that is captured by itself is decided when it is paid
      return call.operation.kind === 'authorize'
        ? approved(call, payment, facts, references)
        : { status: 'pending', facts, references }
    case 'paid':
      return approved(call, payment, facts, references)
    case 'ended':
      // it was authorized, and has been released since
      if (payment.authorizedAt && call.operation.kind === 'authorize')
        return approved(call, payment, facts, references)
      return refusedOutcome(
        payment.status === 'canceled' ? 'cancelled_buyer_approval' : 'incomplete_buyer_approval',
        facts,
        references,
      )
    case 'refused':
      return refusedOutcome(declines[facts.raw_response_code ?? ''] ?? 'other_decline', facts, references)
    default:
      return unknownOutcome(`its status is ${payment.status}`)
  }
}

/**
 * A payment with a link waits for the buyer at the provider's page. Without a page of the merchant to come
 * back to, Railyard gives the link to no buyer, so that the payment takes no money.
 */
function waiting(call: Call, payment: Payment, facts: ResponseDetails, references: References): Outcome {
  const url = payment._links?.checkout?.href
  const isApproved = payment.status === 'pending' || url === undefined
  if (isApproved) return { status: 'pending', facts, references }
  // once Railyard knows the payment, a buyer may have the link, and may pay until it expires
  const hasNoBuyer = !call.payment?.order && !call.payment?.canChallenge
  if (hasNoBuyer && call.operation.paymentReference === null)
    return refusedOutcome('requires_buyer_authentication', facts, references)
  return { status: 'pending', facts, references, approval: { url, sessionData: null } }
}

function approved(
  { operation, payment: context }: Call,
  payment: Payment,
  facts: ResponseDetails,
  references: References,
): Outcome {
  const amount = fromMoney(payment.amount, operation.currency)
  if (amount === undefined) return unknownOutcome('the amount cannot be read')
  const { customerId, mandateId, details } = payment
  const storedToken = context?.storesInstrument && customerId && mandateId && `${customerId}/${mandateId}`
  return {
    status: 'approved',
    amount,
    facts,
    references: { operation: payment.id, ...references },
    ...(storedToken && { storedToken, ...(details && { storedCard: toStoredCard(details) }) }),
  }
}

/** The schemes that the provider names in other words. */
const schemes: Readonly<Record<string, string>> = {
  'american express': 'amex',
  'carte bancaire': 'carte-bancaire',
  'cartes bancaires': 'carte-bancaire',
  'diners club': 'diners-club',
}

const cardTypes = {
  credit: 'credit',
  debit: 'debit',
  'deferred-debit': 'debit',
  prepaid: 'prepaid',
} as const

function toStoredCard(details: Details): StoredCardDetails {
  const label = details.cardLabel?.toLowerCase() ?? ''
  const [, year, month] = /^(\d{4})-(\d{2})/.exec(details.cardExpiryDate ?? '') ?? []
  const { cardFunding: funding } = details
  return {
    scheme: schemes[label] ?? label,
    bin: details.cardBin ?? null,
    last4: details.cardNumber?.slice(-4) ?? null,
    expirationDate: toExpiry(month, year),
    type: isCardType(funding) ? cardTypes[funding] : null,
    country: details.cardCountryCode ?? null,
  }
}

const isCardType = (funding: string | null | undefined): funding is keyof typeof cardTypes =>
  typeof funding === 'string' && Object.hasOwn(cardTypes, funding)

/** `failureReason` says more of a card than `statusReason` does. */
function factsOf({ status, details, statusReason }: Payment): ResponseDetails {
  const reason = nonEmptyText(details?.failureReason)
  const code = reason && reason !== 'unknown_reason' ? reason : nonEmptyText(statusReason?.code)
  return {
    raw_response_code: code ?? reason ?? status,
    raw_response_description: nonEmptyText(details?.failureMessage) ?? nonEmptyText(statusReason?.message),
  }
}
