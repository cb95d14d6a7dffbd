import { invalid } from '../api/errors.ts'
import type { SessionForPayment } from '../checkout/checkout-session.store.ts'
import type { Instrument, OperationKind, StoredCredential } from '../connectors/connector.ts'
import { redactor } from '../connectors/redact.ts'
import { type GiftCards, giftCardAmount, redemptionsAfter, skipped } from '../gift-cards/redemption.ts'
import { newRedemptions } from '../gift-cards/redemption-card.ts'
import { type Claim, intendPayment, type VaultEffect } from '../operations/journal.ts'
import { newOperation } from '../operations/operation.ts'
import { type ConfiguredService, paymentServices } from '../payment-services/payment-service.store.ts'
import { candidates, type Need, obstacle } from '../routing/candidates.ts'
import { type PaymentMethodRow, takenExternalIdentifier } from '../vault/payment-method.store.ts'
import { takeSecurityCode } from '../vault/security-code.ts'
import { asJson, newStoredCard } from '../vault/stored-card.ts'
import type { World } from '../world.ts'
import { renewableCard } from './another-attempt.ts'
import { carryOut, connectionOptionsOf } from './carry-out.ts'
import type { Draft } from './draft.ts'
import { deadline, sealToken } from './following.ts'
import { firstShown, nextShown } from './instrument.ts'
import { newTransaction } from './new-transaction.ts'
import { orderOf } from './order.ts'
import type { Step } from './outcome.ts'
import { type Payer, readPayer } from './payer.ts'
import { binLookup, entry, outboxEvent } from './story.ts'
import { readTender, type Tender } from './tender.ts'
import type { TransactionRow } from './transaction.row.ts'
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
  const { account, draft } = request
  const tender = await readTender(world, account, draft, request.session)
  const payer = await readPayer(world, account, draft, tender)
  const giftCards = await newRedemptions(world, account, draft.gift_cards ?? [], payer.buyer?.id ?? null)
  const need = needOf(draft, tender)
  const [first, ...alternatives] = tender ? await choose(world, request, need) : []
  const vault = first && (await vaultEffect(world, request, tender, payer))
  const row = newTransaction(world, account, draft, {
    tender,
    payer,
    method: vault && { id: vault.id, provisional: vault.does === 'keeps' },
    service: first,
    country: need.country,
    giftCards,
    checkoutSessionId: request.session?.id ?? null,
    ipAddress: request.ipAddress,
  })
  const buyer = first && (await askBuyer(world, request, row, first))
  const shown = first && tender && (await firstShown(world, tender, first, draft.merchant_initiated))
  const story = [
    entry(world, 'transaction-api-request', { method: 'POST', url: request.path, request: redactor(numberOf(tender))(draft) }),
    ...(tender?.card ? [binLookup(world, tender.card.snapshot)] : []),
    ...(shown?.story ?? []),
  ]
  if (!first && tender) {
    const failed: TransactionRow = {
      ...row,
      status: 'authorization_failed',
      intent_outcome: 'failed',
      error_code: 'all_attempts_skipped',
      gift_cards: giftCards && redemptionsAfter(giftCards, skipped(giftCards)),
    }
    const events = [outboxEvent(world, 'transaction.failed')]
    await intendPayment(world, { transaction: failed, operations: [], story, events, claim: request.claim })
    return { transaction: await readTransaction(world, account, row.id) }
  }
  const card = tender ? undefined : giftCards?.redemptions[0]
  const id = world.ids.next()
  const operation = newOperation(
    {
      merchant_account_id: account,
      id,
      transaction_id: row.id,
      kind: firstKind(world, draft, tender, giftCards, first, buyer),
      amount: card ? card.amount : draft.amount - giftCardAmount(giftCards),
      currency: draft.currency,
      payment_service_id: first?.id ?? null,
      check_at: deadline(world),
      created_at: row.created_at,
    },
    {
      idempotency_scope: request.claim?.scope ?? null,
      idempotency_key: request.claim?.key ?? null,
      ...(buyer?.token && { input: { approval_token: sealToken(world, id, buyer.token) } }),
      ...(card && { input: { redemption: card.id } }),
    },
  )
  await tender?.spend?.()
  const transaction = {
    ...row,
    ...(shown && { instrument_type: shown.type }),
    approval_expires_at: buyer?.expiresAt ?? null,
    active_operation_id: id,
  }
  const intended = await intendPayment(world, { transaction, operations: [operation], story, events: [], claim: request.claim, vault })
  if (intended === 'method gone') throw invalid({ '/payment_method/id': 'is not a stored payment method of this account' })
  if (intended === 'external identifier taken') throw await takenExternalIdentifier(world, account, nameToStore(draft))
  const instrument = tender ? await withSecurityCode(world, account, tender, request.session) : {}
  return carryOut(
    world,
    { transaction, operation },
    {
      ...(tender && {
        instrument: !shown || shown.instrument.card ? instrument : shown.instrument,
        showTo: (service) => nextShown(world, { ...tender, instrument }, service),
      }),
      renewable: renewableCard(draft, tender, vault?.id),
      storedCredential: storedCredentialOf(draft, tender),
      connectionOptions: draft.connection_options,
      methodProven: isProven(tender?.used, draft),
      // a token of one payment service is worth nothing at another
      alternatives: buyer?.token ? [] : alternatives,
      story: () => [answered(world, row.id)],
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

/** What the payment does to the vault in its own commit: a stored method is used, or its card is stored with it (SEMANTICS §3.9, `store`). */
async function vaultEffect(
  world: World,
  { account, draft }: CreateRequest,
  tender: Tender | undefined,
  { buyer }: Payer,
): Promise<(VaultEffect & { id: string }) | undefined> {
  if (tender?.used) return { does: 'uses', id: tender.used.id }
  if (!draft.store || !tender?.card) return undefined
  const now = new Date(world.clock.now()).toISOString()
  const byCustomer = !draft.merchant_initiated
  const row = await newStoredCard(world, account, tender.card, {
    provisional: true,
    buyer_id: buyer?.id ?? null,
    external_identifier: nameToStore(draft),
    usage_count: 1,
    last_used_at: now,
    cit_usage_count: byCustomer ? 1 : 0,
    cit_last_used_at: byCustomer ? now : null,
  })
  return { does: 'keeps', id: row.id, row: asJson(row) }
}

const nameToStore = ({ payment_method: method }: Draft) => (method && 'external_identifier' in method ? (method.external_identifier ?? null) : null)

/** What the schemes are told where the merchant keeps the credentials, or begins to; undefined for a payment that leaves nothing. */
function storedCredentialOf(draft: Draft, tender: Tender | undefined): StoredCredential | undefined {
  const { payment_source: source, merchant_initiated: byMerchant } = draft
  const reason = source === 'recurring' || source === 'installment' || source === 'card_on_file' ? source : 'card_on_file'
  const isKept = tender?.used !== undefined || draft.store || source === reason
  if (!tender || !isKept) return undefined
  const schemeTransactionId = draft.previous_scheme_transaction_id ?? tender.used?.scheme_transaction_id ?? null
  const isSubsequent = draft.is_subsequent_payment || schemeTransactionId !== null
  return { initiator: byMerchant ? 'merchant' : 'customer', usage: isSubsequent ? 'subsequent' : 'first', reason, schemeTransactionId }
}

/** A payment that its merchant initiates does not become what later ones refer to. */
const isProven = (used: PaymentMethodRow | undefined, { merchant_initiated: byMerchant }: Draft): boolean =>
  used?.status === 'succeeded' && (byMerchant || used.scheme_transaction_id !== null)

/** The first operation: gift cards alone are redeemed, and beside them a card that could be captured later is authorized first (SEMANTICS §3.6). */
function firstKind(
  world: World,
  draft: Draft,
  tender: Tender | undefined,
  giftCards: GiftCards | null,
  service: ConfiguredService | undefined,
  buyer: AskedBuyer | undefined,
): OperationKind | 'redeem' {
  if (!tender || !service) return 'redeem'
  if (buyer?.mustApprove) return 'approval'
  const features = world.connectors.get(service.payment_service_definition_id)?.definition.features ?? {}
  const splits = !tender.redirect && (draft.async_capture || (giftCards !== null && features['delayed_capture'] === true))
  return draft.intent === 'capture' && !splits ? 'sale' : 'authorize'
}

interface AskedBuyer {
  /** Whether the payment waits for the buyer; false where the request brings their approval. */
  mustApprove: boolean
  token: string | undefined
  expiresAt: string | null
}

/** How the buyer comes to approve; undefined where none is asked. Throws 400 for what the payment service would refuse. */
async function askBuyer(world: World, { draft }: CreateRequest, row: TransactionRow, service: ConfiguredService): Promise<AskedBuyer | undefined> {
  const connector = world.connectors.get(service.payment_service_definition_id)
  const life = connector?.definition.approval
  const order = await orderOf(world, row)
  if (!connector || !life || !order) return undefined
  const options = connectionOptionsOf(draft.connection_options, service.payment_service_definition_id)
  const { amount, currency } = draft
  const problems = { ...lifeProblem(world, draft, life), ...connector.obstacles?.({ order, amount, currency, options, fields: service.values }) }
  if (Object.keys(problems).length > 0) throw invalid(problems)
  const token = connector.givenApproval?.(options)
  if (token !== undefined) return { mustApprove: false, token, expiresAt: null }
  const expiresAt = draft.approval_expires_at ?? new Date(world.clock.now() + life.defaultLife).toISOString()
  return { mustApprove: true, token: undefined, expiresAt }
}

function lifeProblem(world: World, { approval_expires_at: expiry }: Draft, { longestLife }: { longestLife: number }): Record<string, string> {
  if (!expiry || Date.parse(expiry) <= world.clock.now() + longestLife) return {}
  return { '/approval_expires_at': `may lie ${Math.floor(longestLife / 60_000)} minutes ahead at most` }
}

/** What the payment service must be able to do for this payment to be made as asked. */
function needOf(draft: Draft, tender: Tender | undefined): Need {
  const features = [
    ...(tender?.features ?? []),
    ...(draft.amount === 0 ? ['zero_auth'] : []),
    ...(draft.async_capture ? ['delayed_capture'] : []),
    ...(draft.allow_partial_authorization ? ['partial_authorization'] : []),
    ...(draft.account_funding_transaction ? ['account_funding'] : []),
    ...(draft.three_d_secure_data ? ['three_d_secure_pass_through'] : []),
  ]
  return {
    method: tender?.carriedAs ?? 'gift-card',
    currency: draft.currency,
    // a buyer who approves elsewhere does so in a country; it is the transaction's unless that says otherwise (SEMANTICS §3.9)
    country: draft.country ?? tender?.redirect?.country ?? null,
    features,
    integrationClient: draft.integration_client ?? null,
  }
}

/** The payment services to try. One that the merchant names is the only one, and must be able (SEMANTICS §3.9). */
async function choose(world: World, { account, draft }: CreateRequest, need: Need): Promise<ConfiguredService[]> {
  const services = await paymentServices(world, account)
  // a client library that no payment service of the account speaks to is a mistake of the integration, not an outcome (SEMANTICS §3.12)
  if (need.integrationClient && !services.some((service) => takesClient(world, service, need)))
    throw invalid({ '/integration_client': `is not supported by a payment service for ${need.method}` })
  if (!draft.payment_service_id) return candidates(services, world.connectors, need)
  const named = services.find((service) => service.id === draft.payment_service_id)
  const problem = named ? obstacle(named, world.connectors.get(named.payment_service_definition_id)?.definition, need) : 'does not exist'
  if (!named || problem) throw invalid({ '/payment_service_id': `names a payment service that ${problem}` })
  return [named]
}

const takesClient = (world: World, service: ConfiguredService, { method, integrationClient }: Need) =>
  service.method === method &&
  (world.connectors.get(service.payment_service_definition_id)?.definition.integrationClients.some((client) => client === integrationClient) ?? false)
