import { type ApiError, invalid } from '../api/errors.ts'
import { noteTransaction } from '../api/request-context.ts'
import type { SessionForPayment } from '../checkout/checkout-session.store.ts'
import type { Instrument } from '../connectors/connector.ts'
import type { ErrorCode } from '../connectors/error-codes.ts'
import { redactor } from '../connectors/redact.ts'
import { redemptionsAfter, skipped } from '../gift-cards/redemption.ts'
import { newRedemptions } from '../gift-cards/redemption-card.ts'
import { type Claim, intendPayment, type StoryEntry } from '../operations/journal.ts'
import type { FlowCode } from '../routing/outcome.schema.ts'
import { takenExternalIdentifier } from '../vault/payment-method.store.ts'
import { takeSecurityCode } from '../vault/security-code.ts'
import { timeOf, type World } from '../world.ts'
import { carryOut, type Live } from './carry-out.ts'
import { chooseService, needOf } from './choose-service.ts'
import { countPayment } from './counting.ts'
import type { Draft } from './draft.ts'
import { firstOperation, firstStep } from './first-step.ts'
import { nextShown, shownAs } from './instrument.ts'
import { newTransaction } from './new-transaction.ts'
import type { Step } from './outcome.ts'
import { readPayer } from './payer.ts'
import { isProven, nameToStore, storedCredentialOf, vaultEffect } from './stored-credential.ts'
import { binLookup, entry, outboxEvent } from './story.ts'
import { readTender, type Tender } from './tender.ts'
import type { TransactionRow } from './transaction.row.ts'
import { readTransaction } from './transaction.store.ts'

export interface CreateRequest {
  account: string
  /** The body as it came, for the story. */
  sent: unknown
  draft: Draft
  /** The checkout session that the draft was filled in from. */
  session: SessionForPayment | undefined
  /** It came with a browser's token: of stored methods only those of the payment's buyer pay (SEMANTICS §0.13). */
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
export async function createTransaction(world: World, request: CreateRequest): Promise<Step | { transaction: TransactionRow }> {
  const { account, draft, claim } = request
  const tender = await readTender(world, account, draft, request.session)
  const { fromBrowser, session } = request
  const ownMethodsOnly = fromBrowser || request.link !== undefined
  const payer = await readPayer(world, account, draft, tender, { fromBrowser, ownMethodsOnly, session })
  const giftCards = await newRedemptions(world, account, draft.gift_cards ?? [], { id: payer.buyer?.id ?? null, ownsAll: ownMethodsOnly })
  const need = needOf(draft, tender)
  const id = world.ids.next()
  noteTransaction(id)
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
  const story = [
    entry(world, 'transaction-api-request', { method: 'POST', url: request.path, request: redactor(numberOf(tender))(request.sent) }),
    ...(tender?.card ? [binLookup(world, tender.card.snapshot)] : []),
    ...(tender?.decrypted ? [entry(world, tender.decrypted.name, tender.decrypted.context)] : []),
    ...(choice.skipped && (!first || choice.skipped.length > 0) ? [entry(world, 'payment-services-skipped', { skipped: choice.skipped })] : []),
  ]
  const step = await firstStep(world, row, draft, tender, choice)
  if ('refused' in step) return refuseUnasked(world, row, step.refused, story, request)
  const { shown, buyer, renewable, challengeable } = step
  const operation = firstOperation(world, row, claim, step)
  const transaction = {
    ...row,
    ...(shown && { instrument_type: shown.type }),
    approval_expires_at: buyer?.expiresAt ?? null,
    active_operation_id: operation.id,
  }
  const intent = {
    transaction,
    operations: [operation],
    story: [...story, ...(shown?.story ?? [])],
    events: [],
    claim,
    vault,
    token: tender?.token,
    link: request.link?.id,
  }
  const intended = await intendPayment(world, intent)
  if (request.link && intended === 'link closed') throw await request.link.refusal()
  if (intended === 'token used already') throw invalid({ '/payment_method/token': 'was used already' })
  if (intended === 'method gone') throw invalid({ '/payment_method/id': 'is not a stored payment method of this account' })
  if (intended === 'external identifier taken') throw await takenExternalIdentifier(world, account, nameToStore(draft))
  const instrument = tender ? await withSecurityCode(world, account, tender, request.session) : {}
  const live: Live = {
    ...(tender && {
      instrument: !shown || shown.instrument.card ? instrument : shown.instrument,
      showTo: (service, as) =>
        as ? shownAs(world, { ...tender, instrument }, service, as, draft.merchant_initiated) : nextShown(world, { ...tender, instrument }, service),
    }),
    renewable,
    ...(challengeable && { challengeable }),
    storedCredential: storedCredentialOf(draft, tender),
    connectionOptions: draft.connection_options,
    methodProven: isProven(tender?.used, draft),
    // a token of one payment service is worth nothing at another
    ...(choice.route && !buyer?.token && { route: choice.route }),
    story: () => [answered(world, row.id)],
  }
  return carryOut(world, { transaction, operation }, live)
}

/** The payment has failed before anybody was asked: a rule refuses it, no payment service can take it, or its cardholder could not be sent to the card's issuer. */
async function refuseUnasked(
  world: World,
  row: TransactionRow,
  code: ErrorCode | FlowCode,
  story: StoryEntry[],
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
    gift_cards: row.gift_cards && redemptionsAfter(row.gift_cards, skipped(row.gift_cards)),
  }
  const updated = entry(world, 'transaction-updated-status', { status: failed.status, previous_status: row.status, error_code: code })
  const intended = await intendPayment(world, {
    transaction: failed,
    operations: [],
    story: [...story, updated, answered(world, row.id)],
    events: [outboxEvent(world, event)],
    claim,
    link: link?.id,
  })
  if (link && intended === 'link closed') throw await link.refusal()
  countPayment(world, failed, code.startsWith('flow_') ? 'declined' : 'failed')
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

const answered = (world: World, id: string) =>
  entry(world, 'transaction-api-response', { response: { type: 'transaction', id }, response_status_code: 201 })
