import type { Call } from '../contract/call.ts'
import type { ErrorCode } from '../contract/error-codes.ts'
import {
  markHardDecline,
  type Outcome,
  type References,
  refusedOutcome,
  type StoredCardDetails,
  unknownOutcome,
} from '../contract/outcome.ts'
import { toExpiry } from '../wire/card-expiry.ts'
import { fromCheckoutAmount } from './amount.ts'
import type { Payment, Source } from './answer.schema.ts'
import { isApproval, isHardDecline, refusalCode } from './declines.ts'
import { paymentFacts, responseOf } from './facts.ts'

/** What each `status` means for the authorization, sale or payout that made the payment. */
const meanings = {
  Active: 'pending',
  Authorized: 'approved',
  'Authentication Requested': 'pending',
  Canceled: 'canceled',
  Captured: 'approved',
  'Card Verified': 'approved',
  Declined: 'refused',
  Expired: 'expired',
  Paid: 'approved',
  'Partially Captured': 'approved',
  'Partially Refunded': 'approved',
  Pending: 'pending',
  Refunded: 'approved',
  Requested: 'pending',
  'Retry Scheduled': 'pending',
  Voided: 'canceled',
} as const satisfies Record<string, string>

type Meaning = (typeof meanings)[keyof typeof meanings]

const isStatus = (status: string): status is keyof typeof meanings => Object.hasOwn(meanings, status)

/** Undefined: the status is not known. */
export const meaningOf = (status: string): Meaning | undefined =>
  isStatus(status) ? meanings[status] : undefined

/** An answer without a status is decided by its response code. */
function readMeaning({ status, approved, response_code: code }: Payment): Meaning | undefined {
  const meaning = status ? meaningOf(status) : undefined
  if (meaning === 'approved' && approved === false) return 'refused'
  if (status) return meaning
  if (!code) return undefined
  return isApproval(code) && approved !== false ? 'approved' : 'refused'
}

/** Whether the payment is this operation's; an answer may have no reference. */
export const isOwn = ({ operation }: Call, { reference }: Payment): boolean =>
  (reference ?? operation.id) === operation.id

/** The outcome of an authorization, a sale or a payout, by the payment that it made. */
export function paymentOutcome(call: Call, payment: Payment): Outcome {
  if (!isOwn(call, payment)) return unknownOutcome('the answer belongs to another request')
  const facts = paymentFacts(payment)
  const references = referencesOf(payment)
  const refuse = (code: ErrorCode) => refusedOutcome(code, facts, references)
  switch (readMeaning(payment)) {
    case 'approved':
      return approvedOutcome(call, payment)
    case 'pending':
      return pendingOutcome(call, payment)
    case 'refused':
      return markHardDecline(
        refuse(codeOf(payment)),
        isHardDecline(responseOf(payment).code, payment.processing?.recommendation_code),
      )
    case 'canceled':
      return refuse('canceled')
    case 'expired':
      return refuse(payment.approved ? 'expired_authorization' : 'incomplete_buyer_approval')
    default:
      return unknownOutcome(`the status is ${payment.status}`)
  }
}

/** A payment that was refused without a response code never reached the issuer: its cardholder failed 3-D Secure. */
function codeOf(payment: Payment): ErrorCode {
  const { code } = responseOf(payment)
  if (code !== null) return refusalCode(code)
  return payment['3ds'] ? 'failed_buyer_approval' : 'other_decline'
}

function approvedOutcome(call: Call, payment: Payment): Outcome {
  const { currency } = call.operation
  if (payment.amount === undefined || (payment.currency ?? currency) !== currency)
    return unknownOutcome('the amount cannot be read')
  const amount = fromCheckoutAmount(payment.amount, currency)
  if (amount === undefined) return unknownOutcome('the amount cannot be read')
  const { source } = payment
  const storedToken = call.payment?.storesInstrument ? source?.id : undefined
  return {
    status: 'approved',
    amount,
    facts: paymentFacts(payment),
    references: referencesOf(payment),
    ...(source && storedToken && { storedToken, storedCard: toStoredCard(source) }),
  }
}

/** The schemes that Checkout.com names in other words. */
const schemes: Readonly<Record<string, string>> = {
  'american express': 'amex',
  'cartes bancaires': 'carte-bancaire',
  'diners club international': 'diners-club',
  'diners club': 'diners-club',
  upi: 'unionpay',
}

function toStoredCard(source: Source): StoredCardDetails {
  const scheme = source.scheme?.toLowerCase().replaceAll('_', ' ') ?? ''
  const type = source.card_type?.toLowerCase()
  return {
    scheme: schemes[scheme] ?? scheme,
    bin: source.bin ?? null,
    last4: source.last4 ?? null,
    expirationDate: toExpiry(source.expiry_month, source.expiry_year),
    type: cardTypes.find((each) => each === type) ?? null,
    country: source.issuer_country ?? null,
  }
}

const cardTypes = ['credit', 'debit', 'prepaid'] as const

/** The cardholder is challenged at a page, or the payment is in progress. */
function pendingOutcome(call: Call, payment: Payment): Outcome {
  const facts = paymentFacts(payment)
  const references = referencesOf(payment)
  const url = payment._links?.redirect?.href
  if (!url) return { status: 'pending', facts, references }
  // no party continues the payment, so that it moves no money
  if (call.payment && !call.payment.canChallenge)
    return refusedOutcome('requires_buyer_authentication', facts, references)
  return { status: 'pending', facts, references, approval: { url, sessionData: null } }
}

const referencesOf = ({ id }: Payment): References => ({ operation: id, transaction: id })
