import currencyCodes from 'currency-codes'
import { invalid } from '../api/errors.ts'
import { timeOf } from '../base/clock.ts'
import { sendOperation } from '../operations/calls/send-operation.ts'
import type { SupersededAnswer } from '../operations/idempotency.ts'
import type { Claim } from '../operations/journal/journal.ts'
import { intendPayout } from '../operations/journal/payout-journal.ts'
import { LIMIT_GONE } from '../operations/journal/spending.ts'
import { newOperation, type OperationRow, type SpendingReservation } from '../operations/operation.ts'
import { operationDeadline } from '../operations/operation-times.ts'
import { type ConfiguredService, paymentService } from '../payment-services/payment-service.store.ts'
import {
  type LimitsFrom,
  spendingLimitExceeded,
  spendingReservation,
} from '../spending-limits/reserve-spending.ts'
import { DESCRIPTOR_PROBLEM, isUnprintable } from '../transactions/create/draft.ts'
import { instrumentForFirstAttempt } from '../transactions/create/instrument.ts'
import { readPayer } from '../transactions/create/payer.ts'
import { connectionOptionsOf } from '../transactions/execution/payment-context.ts'
import { paymentServiceSnapshot } from '../transactions/payment-service-snapshot.ts'
import type { World } from '../world.ts'
import { applyPayoutOutcome, payoutServiceRequest } from './apply-outcome.ts'
import { readDestination } from './destination.ts'
import type { PayoutResult, PayoutRow } from './payout.row.ts'
import type { PayoutCreate } from './payout.schema.ts'

/**
 * Creates a payout, sends it and records its first outcome (semantics §13). A refusal is an outcome, not an
 * error. If the answer is lost, the payout stays pending: no other attempt is made, and recovery finds out
 * the outcome.
 */
export async function createPayout(
  world: World,
  account: string,
  input: PayoutCreate,
  claim: Claim | undefined,
): Promise<PayoutResult & SupersededAnswer> {
  checkPayoutRules(input)
  const service = await requestedService(world, account, input)
  const destination = await readDestination(world, account, input.payment_method)
  const { buyer } = await readPayer(world, account, { ...input, payment_method: null }, destination)
  // without a cryptogram, which proves that a cardholder is present
  const { instrument } = await instrumentForFirstAttempt(world, destination, service, true)
  const now = timeOf(world.clock)
  const payout: PayoutRow = {
    merchant_account_id: account,
    id: world.ids.next(),
    status: 'pending',
    amount: input.amount,
    currency: input.currency,
    payment_service_id: service.id,
    payment_service: paymentServiceSnapshot(service),
    payment_method: destination.snapshot,
    buyer,
    category: input.category ?? null,
    merchant: input.merchant ?? null,
    connection_options: input.connection_options ?? null,
    external_identifier: input.external_identifier ?? null,
    payment_service_payout_id: null,
    event_count: 0,
    created_at: now,
    updated_at: now,
  }
  const operation = await intendWithinLimit(world, payout, claim)
  const { category, merchant } = payout
  const options = connectionOptionsOf(input.connection_options, service.payment_service_definition_id)
  const intended = { payout, operation }
  const result = await sendOperation(world, {
    ...payoutServiceRequest(intended),
    payout: { instrument, category, merchant, options },
  })
  return applyPayoutOutcome(world, intended, result)
}

/** Intends the payout within the caller's spending limit. Throws 403 beyond it. */
async function intendWithinLimit(
  world: World,
  payout: PayoutRow,
  claim: Claim | undefined,
  limitsFrom: LimitsFrom = 'cache',
): Promise<OperationRow> {
  const { merchant_account_id: account, amount, currency, buyer } = payout
  const request = { account, operation: 'payout', amount, currency, buyerId: buyer?.id } as const
  const spending = await spendingReservation(world, request, limitsFrom)
  const operation = newPayoutOperation(world, payout, claim, spending)
  const exceeded = await intendPayout(world, payout, operation, claim)
  if (exceeded === undefined) return operation
  if (exceeded === LIMIT_GONE) return intendWithinLimit(world, payout, claim, 'database')
  throw spendingLimitExceeded(exceeded)
}

const newPayoutOperation = (
  world: World,
  { merchant_account_id, id, amount, currency, payment_service_id, created_at }: PayoutRow,
  claim: Claim | undefined,
  spending: SpendingReservation | undefined,
) =>
  newOperation(
    {
      merchant_account_id,
      id: world.ids.next(),
      transaction_id: id,
      kind: 'payout',
      amount,
      currency,
      payment_service_id,
      check_at: operationDeadline(world, 'payout'),
      created_at,
    },
    {
      ...(spending && { input: { spending } }),
      idempotency_scope: claim?.scope ?? null,
      idempotency_key: claim?.key ?? null,
    },
  )

/** The rules that need only the request. Throws a 400 that names each broken rule. */
function checkPayoutRules({
  amount,
  currency,
  buyer,
  buyer_id,
  buyer_external_identifier,
  merchant,
}: PayoutCreate): void {
  const buyers = [buyer_id, buyer_external_identifier, buyer].filter(
    (value) => value !== null && value !== undefined,
  )
  const problems = {
    ...(amount === 0 && { '/amount': 'must be greater than 0' }),
    ...(!currencyCodes.code(currency) && { '/currency': 'is not an ISO 4217 code' }),
    ...(buyers.length !== 1 && {
      '/buyer': 'or buyer_id or buyer_external_identifier is needed, and only one of them',
    }),
    ...(isUnprintable(merchant?.statement_descriptor) && {
      '/merchant/statement_descriptor': DESCRIPTOR_PROBLEM,
    }),
  }
  if (Object.keys(problems).length > 0) throw invalid(problems)
}

/**
 * The payment service that the request names, since payouts are not routed. Throws 400 if it cannot make this
 * payout.
 */
async function requestedService(
  world: World,
  account: string,
  { payment_service_id: id, currency }: PayoutCreate,
): Promise<ConfiguredService> {
  const service = await paymentService(world, account, id)
  if (!service || service.deleted_at !== null)
    throw invalid({ '/payment_service_id': 'is not a payment service of this account' })
  if (!service.active) throw invalid({ '/payment_service_id': 'names a payment service that is not active' })
  const connector = world.connectors.get(service.payment_service_definition_id)
  if (!connector?.definition.features['payouts'])
    throw invalid({ '/payment_service_id': 'names a payment service that makes no payouts' })
  if (!service.accepted_currencies.includes(currency))
    throw invalid({ '/currency': 'is not accepted by the payment service' })
  return service
}
