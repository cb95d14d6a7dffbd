/**
 * A capture, void, cancellation, increment or refund that a client asks for. Before: `action.routes.ts`.
 * `action-rules.ts` has the rules, and `operations/journal/intend-follow-up.ts` reserves the money and
 * intends the operation. After: `execution/execute-payment.ts` sends it.
 */

import { tooEarly } from '../../api/errors.ts'
import { refuseBeyondCeiling } from '../../api/server/validation.ts'
import { type FollowUpKind, intendFollowUp } from '../../operations/journal/intend-follow-up.ts'
import type { Claim } from '../../operations/journal/journal.ts'
import { LIMIT_GONE } from '../../operations/journal/spending.ts'
import type { OperationRow, SpendingReservation } from '../../operations/operation.ts'
import {
  type LimitsFrom,
  spendingLimitExceeded,
  spendingReservation,
} from '../../spending-limits/reserve-spending.ts'
import type { LimitedOperation } from '../../spending-limits/spending-limit.schema.ts'
import type { World } from '../../world.ts'
import { executePayment } from '../execution/execute-payment.ts'
import { newOperationOn } from '../new-operation.ts'
import { timelineEntry } from '../timeline.ts'
import type { PaymentStep, TransactionRow } from '../transaction.row.ts'
import { readTransaction } from '../transaction.store.ts'
import { type ActionTerms, type ResolvedAmount, resolveAmount } from './action-rules.ts'
import { approvalBoundsOf, expectOwnChange } from './counted-money.ts'

/** An action on an existing transaction, as a request asks for it. */
export interface RequestedAction extends ActionTerms {
  account: string
  transactionId: string
  claim: Claim | undefined
  /** The path and body of the request, for the timeline. */
  path: string
  body: unknown
}

const MAX_TRIES = 20

/**
 * Executes an action: applies the rules to the transaction as it was read, so that a refusal has a clear
 * reason; reserves the money by a statement that checks the amounts again; sends the operation. If another
 * request took the money in between, the rules are applied once more. Throws 400 if the action is not
 * allowed, 403 beyond the caller's spending limit or if it needs approval, 409 if what was approved has
 * changed, 425 if it is not allowed yet.
 */
export async function executeAction(world: World, action: RequestedAction): Promise<PaymentStep> {
  let limitsFrom: LimitsFrom = 'cache'
  for (let tries = 0; tries < MAX_TRIES; tries++) {
    const row = await readTransaction(world, action.account, action.transactionId)
    refuseBeyondCeiling('amount', action.amount, row.currency)
    const resolved = await resolveAmount(world, row, action)
    const { allowance } = resolved
    const bounds = approvalBoundsOf(row, action.kind, resolved.amount)
    const spending = await reservedSpending(world, row, action, resolved, limitsFrom)
    const operation = newActionOperation(world, row, action, resolved, spending)
    const timeline = [
      timelineEntry(world, 'transaction-api-request', {
        method: 'POST',
        url: action.path,
        request: action.body ?? null,
      }),
    ]
    const intended = await intendFollowUp<TransactionRow>(world, {
      operation,
      allowance,
      approvedUpTo: bounds?.upTo ?? null,
      countedBefore: bounds?.before ?? null,
      timeline,
      claim: action.claim,
    })
    if (intended === 'changed meanwhile') continue
    if ('exceeded' in intended) {
      if (intended.exceeded !== LIMIT_GONE) throw spendingLimitExceeded(intended.exceeded)
      limitsFrom = 'database'
      continue
    }
    expectOwnChange()
    const { transaction } = intended
    return executePayment(
      world,
      { transaction, operation },
      { timeline: () => [responseEntry(world, action)] },
    )
  }
  throw tooEarly()
}

const responseEntry = (world: World, { kind, transactionId }: RequestedAction) =>
  timelineEntry(world, 'transaction-api-response', {
    response: { type: 'transaction', id: transactionId },
    response_status_code: kind === 'refund' || kind === 'gift-card-refund' ? 201 : 200,
  })

/** What spending limits call each action; an increment asks for more money, and is not limited. */
const limitedOperationOf = {
  capture: 'capture',
  void: 'void',
  cancel: 'void',
  increment: null,
  refund: 'refund',
  'gift-card-refund': 'refund',
} as const satisfies Record<FollowUpKind, LimitedOperation | null>

async function reservedSpending(
  world: World,
  { currency, buyer }: TransactionRow,
  { account, kind }: RequestedAction,
  { amount }: ResolvedAmount,
  limitsFrom: LimitsFrom,
): Promise<SpendingReservation | undefined> {
  const operation = limitedOperationOf[kind]
  if (!operation) return undefined
  return spendingReservation(world, { account, operation, amount, currency, buyerId: buyer?.id }, limitsFrom)
}

function newActionOperation(
  world: World,
  row: TransactionRow,
  action: RequestedAction,
  { amount, allowance, dispute }: ResolvedAmount,
  spending: SpendingReservation | undefined,
): OperationRow & { kind: FollowUpKind } {
  const plan = {
    kind: action.kind,
    amount,
    input: {
      ...action.input,
      ...(allowance > 0 && { allowance }),
      ...(dispute && { dispute }),
      ...(spending && { spending }),
    },
    ...(action.kind === 'gift-card-refund' && { paymentServiceId: null }),
  }
  const key = { idempotency_scope: action.claim?.scope ?? null, idempotency_key: action.claim?.key ?? null }
  const operation = newOperationOn(world, row, plan, key)
  return { ...operation, kind: action.kind }
}
