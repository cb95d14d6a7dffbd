import { screeningService } from '../anti-fraud/screening-service.ts'
import { invalid } from '../api/errors.ts'
import type { SessionForPayment } from '../checkout/checkout-session.store.ts'
import type { Instrument } from '../connectors/connector.ts'
import type { ErrorCode } from '../connectors/error-codes.ts'
import { redactor } from '../connectors/redact.ts'
import { giftCardAmount, redemptionsAfter, skipped } from '../gift-cards/redemption.ts'
import { newRedemptions } from '../gift-cards/redemption-card.ts'
import { type Claim, intendPayment, type StoryEntry } from '../operations/journal.ts'
import { newOperation, type OperationRow } from '../operations/operation.ts'
import type { FlowCode } from '../routing/outcome.schema.ts'
import { takenExternalIdentifier } from '../vault/payment-method.store.ts'
import { takeSecurityCode } from '../vault/security-code.ts'
import { deadline, timeOf, type World } from '../world.ts'
import { renewableCard } from './another-attempt.ts'
import { type AskedBuyer, askBuyer } from './ask-buyer.ts'
import { authenticatedAmount, authenticationProfile } from './authentication.ts'
import { carryOut, type Live } from './carry-out.ts'
import { type Challengeable, challengeable } from './challenge.ts'
import { chooseService, needOf } from './choose-service.ts'
import type { Draft } from './draft.ts'
import { moneyKind, requestsOf, sealToken } from './following.ts'
import { firstShown, nextShown, shownAs } from './instrument.ts'
import { newTransaction } from './new-transaction.ts'
import type { Step } from './outcome.ts'
import { readPayer } from './payer.ts'
import { isProven, nameToStore, storedCredentialOf, vaultEffect } from './stored-credential.ts'
import { binLookup, entry, outboxEvent } from './story.ts'
import { readTender, type Tender } from './tender.ts'
import type { PaymentMethodSnapshot, TransactionRow } from './transaction.row.ts'
import { readTransaction } from './transaction.store.ts'

export interface CreateRequest {
  account: string
  draft: Draft
  /** The checkout session that the draft was filled in from. */
  session: SessionForPayment | undefined
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
  const payer = await readPayer(world, account, draft, tender)
  const giftCards = await newRedemptions(world, account, draft.gift_cards ?? [], payer.buyer?.id ?? null)
  const need = needOf(draft, tender)
  const id = world.ids.next()
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
    ipAddress: request.ipAddress,
  })
  const story = [
    entry(world, 'transaction-api-request', { method: 'POST', url: request.path, request: redactor(numberOf(tender))(draft) }),
    ...(tender?.card ? [binLookup(world, tender.card.snapshot)] : []),
  ]
  if (choice.declined) return refuseUnasked(world, row, choice.declined, story, claim)
  if (tender && !first) return refuseUnasked(world, row, 'all_attempts_skipped', story, claim)
  const amount = draft.amount - giftCardAmount(giftCards)
  const buyer = first && (await askBuyer(world, draft, amount, row, first))
  const shown = choice.shown ?? (first && tender && (await firstShown(world, tender, first, draft.merchant_initiated)))
  const renewable = renewableCard(draft, tender, vault?.id)
  const asking = tender?.instrument.card && {
    instrument: shown?.instrument ?? tender.instrument,
    renewable,
    challengeable: challengeable(world, draft, choice.skipsAuthentication),
  }
  const profile = first && asking && (await authenticationProfile(world, row, first, asking))
  if (profile && !asking?.challengeable.redirectUrl) return refuseUnasked(world, row, 'missing_redirect_url', story, claim)
  // who pays by themselves is who may be somebody else
  const screener = first && !draft.merchant_initiated ? await screeningService(world, account) : undefined
  const kind = !first ? 'redeem' : screener ? 'screening' : profile ? 'authentication' : buyer?.mustApprove ? 'approval' : moneyKind(world, row)
  const operation = firstOperation(world, row, request, { kind, amount, buyer, screener: screener?.id, challengeable: asking?.challengeable })
  await tender?.spend?.()
  const transaction = {
    ...row,
    ...(shown && { instrument_type: shown.type }),
    approval_expires_at: buyer?.expiresAt ?? null,
    active_operation_id: operation.id,
  }
  const intent = { transaction, operations: [operation], story: [...story, ...(shown?.story ?? [])], events: [], claim, vault }
  const intended = await intendPayment(world, intent)
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
    ...(asking && { challengeable: asking.challengeable }),
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
  claim: Claim | undefined,
): Promise<{ transaction: TransactionRow }> {
  // a rule says no as an issuer would; everything else is for somebody to mend
  const event = code.startsWith('flow_') ? 'transaction.declined' : 'transaction.failed'
  const failed: TransactionRow = {
    ...row,
    status: 'authorization_failed',
    intent_outcome: 'failed',
    error_code: code,
    payment_method: row.payment_method && withoutProvisional(row.payment_method),
    gift_cards: row.gift_cards && redemptionsAfter(row.gift_cards, skipped(row.gift_cards)),
  }
  await intendPayment(world, { transaction: failed, operations: [], story, events: [outboxEvent(world, event)], claim })
  return { transaction: await readTransaction(world, row.merchant_account_id, row.id) }
}

/** What was to be stored with the payment never will be. */
const withoutProvisional = ({ id, provisional, ...shown }: PaymentMethodSnapshot): PaymentMethodSnapshot =>
  provisional || id === undefined ? shown : { ...shown, id }

interface First {
  kind: OperationRow['kind']
  /** The payment method's part. */
  amount: number
  buyer: AskedBuyer | undefined
  /** The anti-fraud service to ask. */
  screener: string | undefined
  challengeable: Challengeable | undefined
}

function firstOperation(world: World, row: TransactionRow, { claim }: CreateRequest, first: First): OperationRow {
  const { kind, amount, buyer, screener, challengeable } = first
  const id = world.ids.next()
  const card = kind === 'redeem' ? row.gift_cards?.redemptions[0] : undefined
  return newOperation(
    {
      merchant_account_id: row.merchant_account_id,
      id,
      transaction_id: row.id,
      kind,
      amount: card ? card.amount : amount,
      currency: row.currency,
      payment_service_id: row.payment_service_id,
      check_at: deadline(world, requestsOf(kind)),
      created_at: row.created_at,
    },
    {
      idempotency_scope: claim?.scope ?? null,
      idempotency_key: claim?.key ?? null,
      input: {
        ...(buyer?.token && { approval_token: sealToken(world, id, buyer.token) }),
        ...(card && { redemption: card.id }),
        ...(kind === 'screening' && screener !== undefined && { anti_fraud_service: screener }),
        ...(kind === 'authentication' && authenticatedAmount(challengeable)),
      },
    },
  )
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
