import type { Call } from '../../contract/call.ts'
import type { Approval, Outcome, References, StoredCardDetails } from '../../contract/outcome.ts'
import { refusedOutcome, unknownOutcome } from '../../contract/outcome.ts'
import { toExpiry } from '../../wire/card-expiry.ts'
import { fromStripeAmount } from '../amount.ts'
import {
  type CardDetails,
  chargeOf,
  type Intent,
  isPaymentIntent,
  problemOf,
  readIntent,
} from '../answer.schema.ts'
import { markedTotal } from '../metadata.ts'
import { ACCOUNT_IDENTIFIER, connectedAccount, type Wire } from '../wire.ts'
import { factsOf, toProblemOutcome } from './outcome.ts'

/** An intent's path; its id says what it is. */
export const intentPath = (id: string, action = ''): string =>
  `/v1/${isSetup(id) ? 'setup_intents' : 'payment_intents'}/${encodeURIComponent(id)}${action && `/${action}`}`

/** A SetupIntent, which is how a payment of zero is made. */
export const isSetup = (id: string): boolean => id.startsWith('seti_')

/** Asks for the card in full: a payment shows it in its charge, and a SetupIntent has none. */
export const expandCard = (id: string) => ({ expand: [isSetup(id) ? 'payment_method' : 'latest_charge'] })

/** Reads an intent; undefined: there is no answer that can be read. `missing`: Stripe does not know it. */
export async function fetchIntent(
  wire: Wire,
  call: Call,
  id: string,
): Promise<Intent | 'missing' | undefined> {
  const answer = await wire.get(call, intentPath(id), expandCard(id))
  if (answer.lost) return undefined
  if (answer.status === 404) return 'missing'
  return answer.status === 200 ? readIntent(answer.body, id) : undefined
}

/** The reason of `cancelIntent`, and of no other request. */
const ABANDONED = 'abandoned'

/** Cancels an intent that no money has moved by; undefined: it may not be canceled. */
export async function cancelIntent(wire: Wire, call: Call, id: string): Promise<Intent | undefined> {
  const body = { cancellation_reason: ABANDONED, ...expandCard(id) }
  const answer = await wire.post(call, intentPath(id, 'cancel'), body)
  const intent = !answer.lost && answer.status === 200 ? readIntent(answer.body, id) : undefined
  return intent?.status === 'canceled' ? intent : undefined
}

/** The ids of a payment. */
export function referencesOf(call: Call, intent: Intent): References {
  const charge = chargeOf(intent)
  const account = connectedAccount(call)
  return {
    operation: charge?.id ?? intent.id,
    transaction: intent.id,
    identifiers: {
      ...(charge && { payment_service_charge_id: charge.id }),
      ...(account && { [ACCOUNT_IDENTIFIER]: account }),
    },
  }
}

/** The meaning of an intent's status for the operation that opened it. */
const readers: Readonly<Record<string, (call: Call, intent: Intent) => Outcome | undefined>> = {
  succeeded: approved,
  requires_capture: approved,
  processing: (call, intent) => ({
    status: 'pending',
    facts: factsOf(chargeOf(intent)),
    references: referencesOf(call, intent),
  }),
  requires_action: awaitingBuyer,
  requires_payment_method: failedAttempt,
  requires_confirmation: () => undefined,
  canceled,
}

/** The outcome of the operation that opened the intent; undefined: nothing was attempted with it yet. */
export function toOutcome(call: Call, intent: Intent): Outcome | undefined {
  if (isPaymentIntent(intent) && intent.currency !== call.operation.currency.toLowerCase())
    return unknownOutcome('the answer has another currency')
  const read = Object.hasOwn(readers, intent.status) ? readers[intent.status] : undefined
  return read ? read(call, intent) : unknownOutcome(`its status is ${intent.status}`)
}

function approved(call: Call, intent: Intent): Outcome {
  const { currency, kind } = call.operation
  const units = kind === 'sale' ? receivedAmount(intent) : authorizedAmount(intent)
  const amount = units === undefined ? undefined : fromStripeAmount(units, currency)
  if (amount === undefined) return unknownOutcome('the amount cannot be read')
  return {
    status: 'approved',
    amount,
    facts: factsOf(chargeOf(intent)),
    references: referencesOf(call, intent),
    ...storedMembers(call, intent),
  }
}

/** What a sale took; undefined: the intent is only authorized. */
function receivedAmount(intent: Intent): number | undefined {
  if (!isPaymentIntent(intent)) return 0
  return intent.status === 'requires_capture' ? undefined : intent.amount_received
}

/** What was authorized at first, whatever was added or captured since. */
function authorizedAmount(intent: Intent): number {
  if (!isPaymentIntent(intent)) return 0
  const isUntouched = intent.status === 'requires_capture' && intent.amount_received === 0
  const now = isUntouched ? intent.amount_capturable : (chargeOf(intent)?.amount ?? intent.amount)
  return now - markedTotal(intent, 'increment')
}

/** Stripe charges a stored method only with the customer it belongs to, so the token has both. */
function storedMembers({ payment }: Call, intent: Intent) {
  const { customer, payment_method: method } = intent
  if (!payment?.storesInstrument || !method || !customer) return {}
  const { id, card } = typeof method === 'string' ? { id: method } : method
  const details = chargeOf(intent)?.payment_method_details?.card ?? card
  return { storedToken: `${customer}/${id}`, ...(details && { storedCard: toStoredCard(details) }) }
}

/** The schemes that Stripe names in other words. */
const schemes: Readonly<Record<string, string>> = {
  cartes_bancaires: 'carte-bancaire',
  diners: 'diners-club',
  eftpos_au: 'eftpos-australia',
}

const toStoredCard = (card: CardDetails): StoredCardDetails => ({
  scheme: schemes[card.brand ?? ''] ?? card.brand ?? null,
  last4: card.last4 ?? null,
  expirationDate: toExpiry(card.exp_month, card.exp_year),
  type: fundingTypes.find((type) => type === card.funding) ?? null,
  country: card.country ?? null,
})

const fundingTypes = ['credit', 'debit', 'prepaid'] as const

function awaitingBuyer(call: Call, intent: Intent): Outcome {
  const approval = approvalOf(call, intent)
  return {
    status: 'pending',
    facts: {},
    references: referencesOf(call, intent),
    ...(approval && { approval }),
  }
}

/** Where the buyer approves; undefined: only a script of Stripe could ask, and none runs here. */
export function approvalOf(call: Call, { next_action: next }: Intent): Approval | undefined {
  const url = next?.redirect_to_url?.url ?? next?.alipay_handle_redirect?.url
  return url && call.payment?.canChallenge !== false ? { url, sessionData: null } : undefined
}

function failedAttempt(call: Call, intent: Intent): Outcome | undefined {
  const problem = problemOf(intent)
  return problem && toProblemOutcome(problem, chargeOf(intent), referencesOf(call, intent))
}

/**
 * Canceled: after an authorization (which was released then), after a failed attempt, or before any. If `cancelIntent`
 * released an authorization that Railyard had not seen yet, the payment has failed.
 */
function canceled(call: Call, intent: Intent): Outcome {
  if (chargeOf(intent)?.status === 'succeeded' && intent.cancellation_reason !== ABANDONED)
    return approved(call, intent)
  const failed = failedAttempt(call, intent)
  if (failed) return failed
  const expired = intent.cancellation_reason === 'automatic' || intent.cancellation_reason === 'expired'
  return refusedOutcome(
    expired ? 'incomplete_buyer_approval' : 'canceled',
    { raw_response_code: intent.cancellation_reason ?? intent.status },
    referencesOf(call, intent),
  )
}

/** Whether the intent has been canceled before anything was attempted with it: it can never move money. */
export const isCanceledUntouched = (intent: Intent): boolean =>
  intent.status === 'canceled' && problemOf(intent) === undefined && chargeOf(intent) === undefined
