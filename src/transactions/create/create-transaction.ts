/**
 * Step 1 of a payment: from a valid request to its first operation. Before: `create-transaction.routes.ts`
 * and `draft.ts` (the rules of the request). It asks, in this order, `read-tender.ts`, `payer.ts`,
 * `choose-service.ts` (which payment service) and `first-step.ts` (which operation), and intends the payment
 * (`operations/journal/intend-payment.ts`). After: `execution/execute-payment.ts` sends it.
 */

import { type ApiError, invalid } from '../../api/errors.ts'
import { setRequestTransaction } from '../../api/request/request-context.ts'
import { timeOf } from '../../base/clock.ts'
import type { SessionForPayment } from '../../checkout/sessions/checkout-session.store.ts'
import type { Instrument } from '../../connectors/contract/call.ts'
import type { ErrorCode } from '../../connectors/contract/error-codes.ts'
import { redactor } from '../../connectors/wire/redact.ts'
import { redemptionsAfter, skipUndecided } from '../../gift-cards/redemptions/redemption.ts'
import { newRedemptions } from '../../gift-cards/redemptions/redemption-card.ts'
import { type CompletedCheckout, intendPayment } from '../../operations/journal/intend-payment.ts'
import type { Claim } from '../../operations/journal/journal.ts'
import type { TimelineEntry } from '../../operations/timeline-entry.ts'
import type { FlowCode } from '../../routing/rules/outcome.schema.ts'
import { externalIdentifierTaken } from '../../vault/payment-methods/payment-method.store.ts'
import { takeSecurityCode } from '../../vault/secrets/security-code.ts'
import type { World } from '../../world.ts'
import { executePayment } from '../execution/execute-payment.ts'
import type { RequestState } from '../execution/request-state.ts'
import { outboxEvent } from '../outbox.ts'
import { countDecidedPayment } from '../outcome/payment-metrics.ts'
import { binLookup, timelineEntry } from '../timeline.ts'
import type { PaymentStep, TransactionRow } from '../transaction.row.ts'
import { readTransaction } from '../transaction.store.ts'
import { chooseService, requirementsOf, type ServiceChoice } from './choose-service.ts'
import { closedDelegation } from './delegated-tender.ts'
import type { Draft } from './draft.ts'
import { decideFirstStep, type FirstStep, firstOperation } from './first-step.ts'
import { instrumentForRetry, instrumentOfKind } from './instrument.ts'
import { newTransaction } from './new-transaction.ts'
import { readPayer } from './payer.ts'
import { readTender } from './read-tender.ts'
import {
  externalIdentifierToStore,
  isStoredMethodProven,
  storedCredentialOf,
  vaultEffect,
} from './stored-credential.ts'
import type { Tender } from './tender.ts'

/** A payment that a merchant's server, a buyer's browser or a payment link asks for. */
export interface CreateRequest {
  account: string
  /** The body of the request, for the timeline. */
  body: unknown
  draft: Draft
  /** The checkout session whose values complete the draft. */
  session: SessionForPayment | undefined
  /** A buyer's browser may use no stored methods but those of the payment's buyer (semantics §0.13). */
  fromBrowser: boolean
  /**
   * The payment link that the buyer pays: the statement that creates the payment takes the link. `refusal` is
   * the error when the link cannot be paid any more.
   */
  link?: { id: string; refusal(): Promise<ApiError> } | undefined
  /** The agentic checkout that the payment completes, by the commit that decides the payment. */
  checkout?: CompletedCheckout | undefined
  /** Stores the payment method without a payment: the amount is zero, and the method is there from the beginning. */
  storesWithoutPayment?: true
  /** The buyer's IP address (`buyerAddress`). */
  ipAddress: string | null
  claim: Claim | undefined
  /** The path of the request, for the timeline. */
  path: string
}

/**
 * Creates a transaction and executes it until its first outcome. A decline is an outcome, not an error (API
 * §7.3). Throws 400 for a request that no payment can be made of.
 */
export async function createTransaction(
  world: World,
  request: CreateRequest,
): Promise<PaymentStep | { transaction: TransactionRow }> {
  const {
    account,
    draft,
    claim,
    fromBrowser,
    session,
    storesWithoutPayment: withoutPayment = false,
  } = request
  const tender = await readTender(world, account, draft, session)
  const payer = await readPayer(world, account, draft, tender, { fromBrowser, session })
  const giftCards = await newRedemptions(world, account, draft.gift_cards ?? [], {
    id: payer.buyer?.id ?? null,
    ownsAll: fromBrowser,
  })
  const requirements = requirementsOf(draft, tender)
  const id = world.ids.next()
  setRequestTransaction(id)
  const createdAt = timeOf(world.clock)
  const choice = await chooseService(world, account, { id, createdAt, draft, tender, payer, requirements })
  const { service, actions, eligible } = choice
  const vault = service && (await vaultEffect(world, account, draft, tender, payer, { withoutPayment }))
  const row = newTransaction(world, account, draft, {
    id,
    createdAt,
    decided: { actions, eligible },
    tender,
    payer,
    method: vault && {
      id: vault.id,
      mark: vault.does === 'uses' ? null : withoutPayment ? 'being_stored' : 'provisional',
    },
    service,
    country: requirements.country,
    giftCards,
    checkoutSessionId: session?.id ?? null,
    paymentLinkId: request.link?.id ?? null,
    ipAddress: request.ipAddress,
  })
  const timeline = requestTimeline(world, request, tender, choice)
  const step = await decideFirstStep(world, row, draft, tender, choice, session)
  if ('refused' in step) return recordRefusedPayment(world, row, step.refused, timeline, request)
  const { presented, buyer } = step
  const operation = firstOperation(world, row, claim, step)
  const transaction = {
    ...row,
    ...(presented && { instrument_type: presented.type }),
    approval_expires_at: buyer?.expiresAt ?? null,
    active_operation_id: operation.id,
  }
  const intended = await intendPayment(world, {
    transaction,
    operations: [operation],
    timeline: [...timeline, ...(presented?.timeline ?? [])],
    events: [],
    claim,
    vault,
    token: tender?.oneTimeToken,
    delegation: tender?.delegated?.delegation,
    checkout: request.checkout,
    link: request.link?.id,
  })
  if (request.link && intended === 'link closed') throw await request.link.refusal()
  if (intended === 'token used already') throw invalid({ '/payment_method/token': 'was used already' })
  if (intended === 'delegation closed') throw await closedDelegation(world, account, draft)
  if (intended === 'method gone')
    throw invalid({ '/payment_method/id': 'is not a stored payment method of this account' })
  if (intended === 'external identifier taken')
    throw await externalIdentifierTaken(world, account, externalIdentifierToStore(draft))
  return executePayment(
    world,
    { transaction, operation },
    await initialRequestState(world, request, id, tender, choice, step),
  )
}

/** The timeline entries about the request, its card and the choice of the payment service. */
const requestTimeline = (
  world: World,
  { path, body }: CreateRequest,
  tender: Tender | undefined,
  { service, skipped }: ServiceChoice,
): TimelineEntry[] => [
  timelineEntry(world, 'transaction-api-request', {
    method: 'POST',
    url: path,
    request: redactor(cardNumberOf(tender))(body),
  }),
  ...(tender?.card ? [binLookup(world, tender.card.snapshot)] : []),
  ...(tender?.decrypted ? [timelineEntry(world, tender.decrypted.name, tender.decrypted.context)] : []),
  ...(skipped && (!service || skipped.length > 0)
    ? [timelineEntry(world, 'payment-services-skipped', { skipped })]
    : []),
]

/**
 * The request state of a payment that is written now. It takes the security code out of the checkout session.
 */
async function initialRequestState(
  world: World,
  { account, draft, session }: CreateRequest,
  id: string,
  tender: Tender | undefined,
  choice: ServiceChoice,
  { presented, buyer, renewable, authenticationOptions }: FirstStep,
): Promise<RequestState> {
  const instrument = tender ? await withSecurityCode(world, account, tender, session) : {}
  return {
    ...(tender && {
      instrument: !presented || presented.instrument.card ? instrument : presented.instrument,
      presentTo: (service, kind) =>
        kind
          ? instrumentOfKind(world, { ...tender, instrument }, service, kind, draft.merchant_initiated)
          : instrumentForRetry(world, { ...tender, instrument }, service),
    }),
    renewable,
    ...(authenticationOptions && { authenticationOptions }),
    storedCredential: storedCredentialOf(draft, tender),
    connectionOptions: draft.connection_options,
    methodProven: isStoredMethodProven(tender?.storedMethod, draft),
    // an approval token of one payment service is worthless at another
    ...(choice.route && !buyer?.token && { route: choice.route }),
    timeline: () => [responseEntry(world, id)],
  }
}

/**
 * Writes a payment that failed before any service got a request: a rule declines it, no payment service can
 * take it, or its cardholder cannot be sent to the card's issuer.
 */
async function recordRefusedPayment(
  world: World,
  row: TransactionRow,
  code: ErrorCode | FlowCode,
  timeline: TimelineEntry[],
  { claim, link }: CreateRequest,
): Promise<{ transaction: TransactionRow }> {
  // a rule declines as an issuer does; every other code is an error that the merchant or the operator can fix
  const event = code.startsWith('flow_') ? 'transaction.declined' : 'transaction.failed'
  const failed: TransactionRow = {
    ...row,
    status: 'authorization_failed',
    intent_outcome: 'failed',
    error_code: code,
    payment_method: withoutUnstored(row.payment_method),
    gift_cards: row.gift_cards && redemptionsAfter(row.gift_cards, skipUndecided(row.gift_cards)),
  }
  const updated = timelineEntry(world, 'transaction-updated-status', {
    status: failed.status,
    previous_status: row.status,
    error_code: code,
  })
  const intended = await intendPayment(world, {
    transaction: failed,
    operations: [],
    timeline: [...timeline, updated, responseEntry(world, row.id)],
    events: [outboxEvent(world, event)],
    claim,
    link: link?.id,
  })
  if (link && intended === 'link closed') throw await link.refusal()
  countDecidedPayment(world, failed, code.startsWith('flow_') ? 'declined' : 'failed')
  return { transaction: await readTransaction(world, row.merchant_account_id, row.id) }
}

/** Without the method that the transaction would have stored. */
function withoutUnstored(method: TransactionRow['payment_method']): TransactionRow['payment_method'] {
  if (!method?.provisional && !method?.being_stored) return method
  const { id: _id, provisional: _provisional, being_stored: _stored, ...shown } = method
  return shown
}

/** The number that the stored request must not show. */
const cardNumberOf = (tender: Tender | undefined) =>
  tender?.instrument.card?.number ?? tender?.instrument.networkToken?.number

/**
 * The instrument with the security code of the checkout session or the delegated payment. The code is good for this one attempt: from
 * now on only memory has it (semantics §5.6).
 */
async function withSecurityCode(
  world: World,
  account: string,
  { instrument, delegated }: Tender,
  session: SessionForPayment | undefined,
): Promise<Instrument> {
  const owner = delegated?.delegation.id ?? session?.id
  if (owner === undefined || !instrument.card) return instrument
  const securityCode = await takeSecurityCode(world, account, owner)
  return {
    ...instrument,
    card: { ...instrument.card, securityCode: instrument.card.securityCode ?? securityCode },
  }
}

const responseEntry = (world: World, id: string) =>
  timelineEntry(world, 'transaction-api-response', {
    response: { type: 'transaction', id },
    response_status_code: 201,
  })
