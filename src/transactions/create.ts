import { invalid } from '../api/errors.ts'
import { redactor } from '../connectors/redact.ts'
import { type Claim, intendPayment } from '../operations/journal.ts'
import { newOperation } from '../operations/operation.ts'
import { type ConfiguredService, paymentServices } from '../payment-services/payment-service.store.ts'
import { candidates, type Need, obstacle } from '../routing/candidates.ts'
import type { TransactionThreeDSecureSummary } from '../three-d-secure/three-d-secure.schema.ts'
import { type ReadCard, readCard } from '../vault/card.ts'
import { timeOf, type World } from '../world.ts'
import { carryOut } from './carry-out.ts'
import type { Draft } from './draft.ts'
import { deadline } from './following.ts'
import type { Step } from './outcome.ts'
import { paymentServiceSnapshot } from './payment-service-snapshot.ts'
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
  const operation = newOperation(
    {
      merchant_account_id: account,
      id: world.ids.next(),
      transaction_id: row.id,
      kind: draft.intent === 'capture' && !draft.async_capture ? 'sale' : 'authorize',
      amount: draft.amount,
      currency: draft.currency,
      payment_service_id: first.id,
      check_at: deadline(world),
      created_at: row.created_at,
    },
    { idempotency_scope: request.claim?.scope ?? null, idempotency_key: request.claim?.key ?? null },
  )
  const transaction = { ...row, active_operation_id: operation.id }
  await intendPayment(world, { transaction, operations: [operation], story, events: [], claim: request.claim })
  return carryOut(
    world,
    { transaction, operation },
    {
      ...(paid && { instrument: { card: paid.card } }),
      connectionOptions: draft.connection_options,
      alternatives,
      story: () => [answered(world, row.id)],
    },
  )
}

const answered = (world: World, id: string) =>
  entry(world, 'transaction-api-response', { response: { type: 'transaction', id }, response_status_code: 201 })

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
  return { method: methodOf(draft) ?? 'card', currency: draft.currency, country: draft.country ?? null, features }
}

/** The payment services to try. One that the merchant names is the only one, and must be able (SEMANTICS §3.9). */
async function choose(world: World, { account, draft }: CreateRequest, need: Need): Promise<ConfiguredService[]> {
  const services = await paymentServices(world, account)
  if (!draft.payment_service_id) return candidates(services, world.connectors, need)
  const named = services.find((service) => service.id === draft.payment_service_id)
  const problem = named ? obstacle(named, world.connectors.get(named.payment_service_definition_id)?.definition, need) : 'does not exist'
  if (!named || problem) throw invalid({ '/payment_service_id': `names a payment service that ${problem}` })
  return [named]
}

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
  return {
    merchant_account_id: account,
    id: world.ids.next(),
    status: 'processing',
    intent: draft.intent,
    intent_outcome: 'pending',
    currency: draft.currency,
    country: draft.country ?? null,
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
    instrument_type: paid ? 'pan' : null,
    payment_method: method && { ...emptyMethod, method, ...paid?.snapshot },
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

const emptyMethod = {
  label: null,
  scheme: null,
  expiration_date: null,
  fingerprint: null,
  bin: null,
  card_type: null,
  country: null,
  currency: null,
  external_identifier: null,
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
