import { type ApiError, invalid } from '../../api/errors.ts'
import { setRequestTransaction } from '../../api/request/request-context.ts'
import { timeOf } from '../../base/clock.ts'
import type { SessionForPayment } from '../../checkout/sessions/checkout-session.store.ts'
import type { Instrument } from '../../connectors/connector.ts'
import type { ErrorCode } from '../../connectors/error-codes.ts'
import { redactor } from '../../connectors/redact.ts'
import { redemptionsAfter, skipUndecided } from '../../gift-cards/redemptions/redemption.ts'
import { newRedemptions } from '../../gift-cards/redemptions/redemption-card.ts'
import { type Claim, intendPayment, type TimelineEntry } from '../../operations/journal/journal.ts'
import type { FlowCode } from '../../routing/rules/outcome.schema.ts'
import { externalIdentifierTaken } from '../../vault/payment-methods/payment-method.store.ts'
import { takeSecurityCode } from '../../vault/secrets/security-code.ts'
import type { World } from '../../world.ts'
import { executePayment } from '../execution/execute-payment.ts'
import type { RequestState } from '../execution/request-state.ts'
import { countDecidedPayment } from '../outcome/payment-metrics.ts'
import type { PaymentStep } from '../payment-step.ts'
import { binLookup, outboxEvent, timelineEntry } from '../timeline.ts'
import type { TransactionRow } from '../transaction.row.ts'
import { readTransaction } from '../transaction.store.ts'
import { chooseService, requirementsOf } from './choose-service.ts'
import type { Draft } from './draft.ts'
import { decideFirstStep, firstOperation } from './first-step.ts'
import { instrumentForRetry, instrumentOfKind } from './instrument.ts'
import { newTransaction } from './new-transaction.ts'
import { readPayer } from './payer.ts'
import { readTender } from './read-tender.ts'
import { externalIdentifierToStore, isStoredMethodProven, storedCredentialOf, vaultEffect } from './stored-credential.ts'
import type { Tender } from './tender.ts'

export interface CreateRequest {
  account: string
  /** The body as it came, for the story. */
  body: unknown
  draft: Draft
  /** The checkout session that the draft was filled in from. */
  session: SessionForPayment | undefined
  /** A buyer's browser names what pays: of stored methods only those of the payment's buyer (SEMANTICS §0.13). */
  fromBrowser: boolean
  /** The payment link that it is made through: the statement that creates it takes the link. `refusal` says why that may not be paid. */
  link?: { id: string; refusal(): Promise<ApiError> } | undefined
  /** From `x-forwarded-for`: the buyer's address when a backend calls (SEMANTICS §2). */
  ipAddress: string | null
  claim: Claim | undefined
  /** For the story: where the request came in. */
  path: string
}

/** Creates a transaction and carries it to its first outcome. A decline is an outcome, not an error (SPEC §7.3). */
export async function createTransaction(world: World, request: CreateRequest): Promise<PaymentStep | { transaction: TransactionRow }> {
  const { account, draft, claim } = request
  const tender = await readTender(world, account, draft, request.session)
  const { fromBrowser, session } = request
  const payer = await readPayer(world, account, draft, tender, { fromBrowser, session })
  const giftCards = await newRedemptions(world, account, draft.gift_cards ?? [], { id: payer.buyer?.id ?? null, ownsAll: fromBrowser })
  const need = requirementsOf(draft, tender)
  const id = world.ids.next()
  setRequestTransaction(id)
  const createdAt = timeOf(world.clock)
  const choice = await chooseService(world, account, { id, createdAt, draft, tender, payer, need })
  const { service: first, actions, eligible } = choice
  const vault = first && (await vaultEffect(world, account, draft, tender, payer))
  const row = newTransaction(world, account, draft, {
    id,
    createdAt,
    decided: { actions, eligible },
    tender,
    payer,
    method: vault && { id: vault.id, provisional: vault.does === 'keeps' },
    service: first,
    country: need.country,
    giftCards,
    checkoutSessionId: request.session?.id ?? null,
    paymentLinkId: request.link?.id ?? null,
    ipAddress: request.ipAddress,
  })
  const timeline = [
    timelineEntry(world, 'transaction-api-request', { method: 'POST', url: request.path, request: redactor(numberOf(tender))(request.body) }),
    ...(tender?.card ? [binLookup(world, tender.card.snapshot)] : []),
    ...(tender?.decrypted ? [timelineEntry(world, tender.decrypted.name, tender.decrypted.context)] : []),
    ...(choice.skipped && (!first || choice.skipped.length > 0)
      ? [timelineEntry(world, 'payment-services-skipped', { skipped: choice.skipped })]
      : []),
  ]
  const step = await decideFirstStep(world, row, draft, tender, choice)
  if ('refused' in step) return recordRefusedPayment(world, row, step.refused, timeline, request)
  const { presented, buyer, renewable, authenticationOptions } = step
  const operation = firstOperation(world, row, claim, step)
  const transaction = {
    ...row,
    ...(presented && { instrument_type: presented.type }),
    approval_expires_at: buyer?.expiresAt ?? null,
    active_operation_id: operation.id,
  }
  const intent = {
    transaction,
    operations: [operation],
    timeline: [...timeline, ...(presented?.timeline ?? [])],
    events: [],
    claim,
    vault,
    token: tender?.oneTimeToken,
    link: request.link?.id,
  }
  const intended = await intendPayment(world, intent)
  if (request.link && intended === 'link closed') throw await request.link.refusal()
  if (intended === 'token used already') throw invalid({ '/payment_method/token': 'was used already' })
  if (intended === 'method gone') throw invalid({ '/payment_method/id': 'is not a stored payment method of this account' })
  if (intended === 'external identifier taken') throw await externalIdentifierTaken(world, account, externalIdentifierToStore(draft))
  const instrument = tender ? await withSecurityCode(world, account, tender, request.session) : {}
  const requestState: RequestState = {
    ...(tender && {
      instrument: !presented || presented.instrument.card ? instrument : presented.instrument,
      presentTo: (service, as) =>
        as
          ? instrumentOfKind(world, { ...tender, instrument }, service, as, draft.merchant_initiated)
          : instrumentForRetry(world, { ...tender, instrument }, service),
    }),
    renewable,
    ...(authenticationOptions && { authenticationOptions }),
    storedCredential: storedCredentialOf(draft, tender),
    connectionOptions: draft.connection_options,
    methodProven: isStoredMethodProven(tender?.storedMethod, draft),
    // a token of one payment service is worth nothing at another
    ...(choice.route && !buyer?.token && { route: choice.route }),
    timeline: () => [responseEntry(world, row.id)],
  }
  return executePayment(world, { transaction, operation }, requestState)
}

/** The payment has failed before anybody was asked: a rule refuses it, no payment service can take it, or its cardholder could not be sent to the card's issuer. */
async function recordRefusedPayment(
  world: World,
  row: TransactionRow,
  code: ErrorCode | FlowCode,
  timeline: TimelineEntry[],
  { claim, link }: CreateRequest,
): Promise<{ transaction: TransactionRow }> {
  // a rule says no as an issuer would; everything else is for somebody to mend
  const event = code.startsWith('flow_') ? 'transaction.declined' : 'transaction.failed'
  const failed: TransactionRow = {
    ...row,
    status: 'authorization_failed',
    intent_outcome: 'failed',
    error_code: code,
    payment_method: withoutProvisional(row.payment_method),
    gift_cards: row.gift_cards && redemptionsAfter(row.gift_cards, skipUndecided(row.gift_cards)),
  }
  const updated = timelineEntry(world, 'transaction-updated-status', { status: failed.status, previous_status: row.status, error_code: code })
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

/** What was to be stored with a payment that succeeds is not. */
function withoutProvisional(method: TransactionRow['payment_method']): TransactionRow['payment_method'] {
  if (!method?.provisional) return method
  const { id: _id, provisional: _provisional, ...shown } = method
  return shown
}

const numberOf = (tender: Tender | undefined) => tender?.instrument.card?.number ?? tender?.instrument.networkToken?.number

/** A code that was entered into the checkout session is good for this one attempt (SEMANTICS §5.6): from here on it is nowhere but in memory. */
async function withSecurityCode(world: World, account: string, { instrument }: Tender, session: SessionForPayment | undefined): Promise<Instrument> {
  if (!session || !instrument.card) return instrument
  const entered = await takeSecurityCode(world, account, session.id)
  return { ...instrument, card: { ...instrument.card, securityCode: instrument.card.securityCode ?? entered } }
}

const responseEntry = (world: World, id: string) =>
  timelineEntry(world, 'transaction-api-response', { response: { type: 'transaction', id }, response_status_code: 201 })
