import { type Static, Type } from 'typebox'
import type { Call } from '../contract/call.ts'
import {
  type Outcome,
  type References,
  type ResponseDetails,
  refusedOutcome,
  type StoredCardDetails,
  unknownOutcome,
} from '../contract/outcome.ts'
import { Compile } from '../wire/compile.ts'
import { refusalCode } from './declines.ts'
import { type AdditionalData, factsOf, storedCardOf, storedTokenOf } from './facts.ts'
import { fromMoney, type Money } from './money.ts'

// The parts of the provider's answers that Railyard reads; it ignores other members.

const text = Type.Optional(Type.Union([Type.String(), Type.Null()]))
const Amount = Type.Object({ value: Type.Integer(), currency: Type.String() })

const Action = Type.Object({
  type: Type.String(),
  url: text,
  method: text,
})

const Payment = Type.Object({
  resultCode: Type.String(),
  pspReference: text,
  merchantReference: text,
  refusalReason: text,
  refusalReasonCode: text,
  amount: Type.Optional(Amount),
  paymentMethod: Type.Optional(Type.Object({ brand: text })),
  action: Type.Optional(Action),
  additionalData: Type.Optional(Type.Record(Type.String(), Type.Unknown())),
})
/** The answer of `/payments` and `/payments/details`. */
export type Payment = Static<typeof Payment>
const payment = Compile(Payment)

/** Undefined: this is no payment, or one of another operation. */
export function readPayment(call: Call, body: unknown): Payment | undefined {
  if (!payment.Check(body)) return undefined
  const { merchantReference: reference } = body
  return reference && reference !== call.operation.id ? undefined : body
}

/** What each `resultCode` means. */
const results = {
  Authorised: 'approved',
  PartiallyAuthorised: 'approved',
  Refused: 'refused',
  Error: 'error',
  Cancelled: 'canceled',
  Pending: 'pending',
  Received: 'pending',
  RedirectShopper: 'challenge',
  IdentifyShopper: 'challenge',
  ChallengeShopper: 'challenge',
  PresentToShopper: 'challenge',
} as const satisfies Record<string, string>

export const meaningOf = (resultCode: string): (typeof results)[keyof typeof results] | undefined =>
  isResult(resultCode) ? results[resultCode] : undefined

const isResult = (text: string): text is keyof typeof results => Object.hasOwn(results, text)

/** The outcome of an authorization or sale in the provider's answer. */
export function paymentOutcome(call: Call, payment: Payment): Outcome {
  const meaning = meaningOf(payment.resultCode)
  const facts = paymentFacts(payment)
  if (meaning === 'approved') return approvedOutcome(call, payment, facts)
  if (meaning === 'pending')
    return { status: 'pending', facts, references: pendingReferences(call, payment.pspReference) }
  if (meaning === 'challenge') return challengeOutcome(call, payment, facts)
  if (meaning === 'refused' || meaning === 'canceled') {
    // a cancellation may come without a reason; its webhook then has the word of the result as its reason
    const reason = payment.refusalReason ?? (meaning === 'canceled' ? payment.resultCode : null)
    const code = refusalCode(payment.refusalReasonCode ?? null, reason)
    return refusedOutcome(code, facts, paymentReferences(call, payment))
  }
  // `Error`: the payment may have reached the acquirer; its webhook tells
  return unknownOutcome(`the result is ${payment.resultCode}`)
}

const paymentFacts = ({
  resultCode,
  refusalReason,
  refusalReasonCode,
  additionalData,
}: Payment): ResponseDetails => {
  const raw = nonEmptyRaw(additionalData?.['refusalReasonRaw'])
  const described = refusalReason ?? raw
  return {
    raw_response_code:
      refusalReasonCode ?? (meaningOf(resultCode) === 'refused' ? refusalReason : null) ?? resultCode,
    ...(described && {
      raw_response_description: refusalReason && raw ? `${refusalReason} | ${raw}` : described,
    }),
    ...factsOf(additionalData ?? {}),
  }
}

const nonEmptyRaw = (value: unknown): string | null =>
  typeof value === 'string' && value !== '' ? value : null

function approvedOutcome(call: Call, answer: Payment, facts: ResponseDetails): Outcome {
  if (!answer.pspReference) return unknownOutcome('an approval without the id of the payment')
  const stated = answer.amount ?? authorisedAmount(answer.additionalData ?? {})
  const whole = answer.resultCode === 'Authorised' && !call.payment?.allowPartialAuthorization
  // an answer without an amount approves all, unless a part would have been accepted: then the webhook tells
  if (!stated && !whole)
    return { status: 'pending', facts, references: pendingReferences(call, answer.pspReference) }
  const amount = stated ? fromMoney(stated, call.operation.currency) : call.operation.amount
  if (amount === undefined) return unknownOutcome('the amount cannot be read')
  return authorized(call, {
    amount,
    psp: answer.pspReference,
    facts,
    token: storedTokenOf(answer.additionalData ?? {}),
    card: storedCardOf(answer.additionalData ?? {}, answer.paymentMethod?.brand ?? null),
  })
}

/** Part of the provider's additional data, if the merchant's account is set to send it. */
function authorisedAmount(data: AdditionalData): Money | undefined {
  const { authorisedAmountValue: value, authorisedAmountCurrency: currency } = data
  return typeof value === 'string' && /^\d{1,15}$/.test(value) && typeof currency === 'string'
    ? { value: Number(value), currency }
    : undefined
}

/** An approved authorization or sale. */
export const authorized = (
  call: Call,
  {
    amount,
    psp,
    facts,
    token,
    card,
  }: {
    amount: number
    psp: string
    facts: ResponseDetails
    token: string | undefined
    card?: StoredCardDetails
  },
): Outcome => ({
  status: 'approved',
  amount,
  facts,
  references: {
    operation: psp,
    transaction: psp,
    identifiers: {
      payment_service_reference: call.operation.id,
      // an increment sends the new total, and the provider cannot be asked for the present one
      payment_service_authorized_amount: `${amount}`,
    },
  },
  ...(call.payment?.storesInstrument && token && { storedToken: token, ...(card && { storedCard: card }) }),
})

const paymentReferences = (call: Call, { pspReference: psp }: Payment): References => ({
  ...(psp && { operation: psp, transaction: psp }),
  identifiers: { payment_service_reference: call.operation.id },
})

/**
 * Until the provider has decided, the payment goes by our reference: the provider's id may be missing, and
 * another one may follow a challenge.
 */
export const pendingReferences = (call: Call, psp?: string | null): References => ({
  ...(psp && { operation: psp }),
  transaction: call.operation.id,
  identifiers: { payment_service_reference: call.operation.id },
})

/** The cardholder is asked at a page, or by the provider's script in the merchant's page. */
function challengeOutcome(call: Call, { action, pspReference }: Payment, facts: ResponseDetails): Outcome {
  // no party continues the payment, so that it moves no money
  if (!action || !call.payment?.canChallenge) return refusedOutcome('requires_buyer_authentication', facts)
  const isPage = action.type === 'redirect' && (action.method ?? 'GET') === 'GET' && action.url
  return {
    status: 'pending',
    facts,
    references: pendingReferences(call, pspReference),
    approval: isPage
      ? { url: action.url ?? null, sessionData: null }
      : { url: null, sessionData: { action } },
  }
}
