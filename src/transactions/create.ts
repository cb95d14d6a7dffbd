import { invalid } from '../api/errors.ts'
import { redactor } from '../connectors/redact.ts'
import { type Claim, intendPayment } from '../operations/journal.ts'
import { newOperation } from '../operations/operation.ts'
import { type ConfiguredService, paymentServices } from '../payment-services/payment-service.store.ts'
import { candidates, type Need, obstacle } from '../routing/candidates.ts'
import type { TransactionThreeDSecureSummary } from '../three-d-secure/three-d-secure.schema.ts'
import { type ReadCard, readCard } from '../vault/card.ts'
import type { RedirectInput } from '../vault/payment-method-input.schema.ts'
import { timeOf, type World } from '../world.ts'
import { carryOut, connectionOptionsOf } from './carry-out.ts'
import type { Draft } from './draft.ts'
import { deadline, sealToken } from './following.ts'
import { orderOf } from './order.ts'
import type { Step } from './outcome.ts'
import { paymentServiceSnapshot } from './payment-service-snapshot.ts'
import { sessionToken } from './return-url.ts'
import { binLookup, entry, outboxEvent } from './story.ts'
import type { Details, TransactionRow } from './transaction.row.ts'
import { readTransaction } from './transaction.store.ts'

export interface CreateRequest {
  account: string
  draft: Draft
  /** From `x-forwarded-for`: the buyer's address when a backend calls (SEMANTICS §2). */
  ipAddress: string | null
  claim: Claim | undefined
  /** For the story: where the request came in. */
  path: string
}

/** Creates a transaction and carries it to its first outcome. A decline is an outcome, not an error (SPEC §7.3). */
export async function createTransaction(world: World, request: CreateRequest): Promise<Step | { transaction: TransactionRow }> {
  const { account, draft } = request
  const paid = readInstrument(world, draft)
  const [first, ...alternatives] = await choose(world, request, needOf(draft))
  const row = newTransaction(world, request, paid, first)
  const buyer = first && (await askBuyer(world, request, row, first))
  const story = [
    entry(world, 'transaction-api-request', { method: 'POST', url: request.path, request: redactor(paid?.card.number)(draft) }),
    ...(paid ? [binLookup(world, paid.snapshot)] : []),
  ]
  if (!first) {
    const failed: TransactionRow = { ...row, status: 'authorization_failed', intent_outcome: 'failed', error_code: 'all_attempts_skipped' }
    const events = [outboxEvent(world, 'transaction.failed')]
    await intendPayment(world, { transaction: failed, operations: [], story, events, claim: request.claim })
    return { transaction: await readTransaction(world, account, row.id) }
  }
  const id = world.ids.next()
  const operation = newOperation(
    {
      merchant_account_id: account,
      id,
      transaction_id: row.id,
      kind: buyer?.mustApprove ? 'approval' : draft.intent === 'capture' && !(draft.async_capture && paid) ? 'sale' : 'authorize',
      amount: draft.amount,
      currency: draft.currency,
      payment_service_id: first.id,
      check_at: deadline(world),
      created_at: row.created_at,
    },
    {
      idempotency_scope: request.claim?.scope ?? null,
      idempotency_key: request.claim?.key ?? null,
      ...(buyer?.token && { input: { approval_token: sealToken(world, id, buyer.token) } }),
    },
  )
  const transaction = { ...row, approval_expires_at: buyer?.expiresAt ?? null, active_operation_id: id }
  await intendPayment(world, { transaction, operations: [operation], story, events: [], claim: request.claim })
  return carryOut(
    world,
    { transaction, operation },
    {
      ...(paid && { instrument: { card: paid.card } }),
      connectionOptions: draft.connection_options,
      // a token of one payment service is worth nothing at another
      alternatives: buyer?.token ? [] : alternatives,
      story: () => [answered(world, row.id)],
    },
  )
}

const answered = (world: World, id: string) =>
  entry(world, 'transaction-api-response', { response: { type: 'transaction', id }, response_status_code: 201 })

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

/** The card of the request. Other methods have no payment service that takes them yet: their payment finds no candidate. */
function readInstrument(world: World, { payment_method: input }: Draft): ReadCard | undefined {
  if (!input) return undefined
  if ('number' in input) return readCard(world, { ...input, method: 'card' } as never, '/payment_method')
  if ('id' in input) throw invalid({ '/payment_method/id': 'is not a stored payment method or checkout session of this account' })
  return undefined
}

const methodOf = ({ payment_method: input }: Draft): TransactionRow['method'] => {
  if (!input) return null
  if ('number' in input) return input.method ?? 'card'
  return 'method' in input && input.method && input.method !== 'id' && input.method !== 'checkout-session' ? input.method : 'card'
}

/** What the payment service must be able to do for this payment to be made as asked. */
function needOf(draft: Draft): Need {
  const features = [
    ...(draft.amount === 0 ? ['zero_auth'] : []),
    ...(draft.async_capture ? ['delayed_capture'] : []),
    ...(draft.allow_partial_authorization ? ['partial_authorization'] : []),
    ...(draft.account_funding_transaction ? ['account_funding'] : []),
    ...(draft.three_d_secure_data ? ['three_d_secure_pass_through'] : []),
  ]
  const integrationClient = draft.integration_client ?? null
  return { method: methodOf(draft) ?? 'card', currency: draft.currency, country: countryOf(draft), features, integrationClient }
}

/** A buyer who approves elsewhere does so in a country; it is the transaction's unless that says otherwise (SEMANTICS §3.9). */
const countryOf = (draft: Draft) => draft.country ?? redirectOf(draft)?.country ?? null

const redirectOf = ({ payment_method: input }: Draft): RedirectInput | undefined =>
  input && 'redirect_url' in input && 'country' in input && !('number' in input) ? (input as RedirectInput) : undefined

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

/** As it is answered: version 1 with its scheme, version 2 without one. */
function responseData(given: NonNullable<Draft['three_d_secure_data']>): TransactionThreeDSecureSummary['response_data'] {
  if ('xid' in given) return given
  const { scheme, ...data } = given
  return data
}

function newTransaction(
  world: World,
  { account, draft, ipAddress }: CreateRequest,
  paid: ReadCard | undefined,
  service: ConfiguredService | undefined,
): TransactionRow {
  const now = timeOf(world.clock)
  const method = methodOf(draft)
  const { shipping_details, ...buyer } = draft.buyer ?? {}
  const external = draft.three_d_secure_data
  const redirect = redirectOf(draft)
  const id = world.ids.next()
  return {
    merchant_account_id: account,
    id,
    status: 'processing',
    intent: draft.intent,
    intent_outcome: 'pending',
    currency: draft.currency,
    country: countryOf(draft),
    amount: draft.amount,
    authorized_amount: 0,
    captured_amount: 0,
    refunded_amount: 0,
    capture_reserved: 0,
    refund_reserved: 0,
    over_capture_allowance: 0,
    capture_closed: false,
    active_operation_id: null,
    method,
    instrument_type: paid ? 'pan' : redirect ? 'redirect' : null,
    payment_method: method && {
      method,
      ...paid?.snapshot,
      ...(redirect && { country: redirect.country, currency: redirect.currency }),
    },
    payment_service_id: service?.id ?? null,
    payment_service: service ? paymentServiceSnapshot(service) : null,
    payment_service_transaction_id: null,
    buyer:
      draft.buyer || draft.buyer_external_identifier
        ? { ...buyer, ...(draft.buyer_external_identifier && { external_identifier: draft.buyer_external_identifier }) }
        : null,
    shipping_details: shipping_details ?? null,
    external_identifier: draft.external_identifier ?? null,
    metadata: draft.metadata ?? null,
    error_code: null,
    facts: {},
    details: detailsOf(draft),
    three_d_secure: external
      ? {
          version: external.version,
          status: 'complete',
          method: null,
          response_data: responseData(external),
          error_data: null,
          amount: draft.three_d_secure?.amount ?? null,
        }
      : null,
    payment_source: draft.payment_source,
    merchant_initiated: draft.merchant_initiated,
    is_subsequent_payment: draft.is_subsequent_payment,
    ip_address: ipAddress,
    pending_review: false,
    disputed: false,
    settled: false,
    settled_currency: null,
    settled_amount: 0,
    approval: redirect ? approvalOf(world, account, id, draft, redirect) : null,
    identifiers: null,
    checkout_session_id: null,
    payment_link_id: null,
    reauthorized_from_transaction_id: null,
    approval_expires_at: null,
    buyer_approval_timedout_at: null,
    authorized_at: null,
    captured_at: null,
    voided_at: null,
    canceled_at: null,
    created_at: now,
    updated_at: now,
  }
}

function approvalOf(world: World, account: string, id: string, draft: Draft, { redirect_url }: RedirectInput): TransactionRow['approval'] {
  const integration_client = draft.integration_client ?? 'redirect'
  const session_token = integration_client === 'redirect' ? null : sessionToken(world, account, id)
  return { integration_client, redirect_url, url: null, session_data: null, session_token }
}

const kept = [
  'airline',
  'cart_items',
  'statement_descriptor',
  'recipient',
  'installment_count',
  'account_funding_transaction',
  'allow_partial_authorization',
  'async_capture',
  'description',
  'browser_info',
  'connection_options',
  'previous_scheme_transaction_id',
  'previous_transaction_link_id',
  'anti_fraud_fingerprint',
  'tax_amount',
  'merchant_tax_id',
  'purchase_order_number',
  'customer_reference_number',
  'amount_includes_tax',
  'supplier_order_number',
  'duty_amount',
  'shipping_amount',
] as const satisfies readonly (keyof Details)[]

/**
 * Only what was given: most payments have none of it, and every byte is written twice (row and log). Connection options may name a card
 * number (`merchant_advice_code.account_number`): what is kept of them does not.
 */
const detailsOf = (draft: Draft): Details =>
  Object.fromEntries(
    kept
      .filter((key) => draft[key] !== undefined && draft[key] !== null && draft[key] !== false)
      .map((key) => [key, key === 'connection_options' ? withoutCardNumbers(draft[key]) : draft[key]]),
  )

const withoutCardNumbers = redactor(undefined)
