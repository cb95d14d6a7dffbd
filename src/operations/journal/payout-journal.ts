import { auditEntry } from '../../database/logs/audit-log.ts'
import type { ResourceTarget } from '../../database/tables/events.ts'
import type { World } from '../../world.ts'
import type { SendResult } from '../calls/call-result.ts'
import {
  errorCodeOf,
  type OperationRow,
  type OperationStatus,
  openStatuses,
  operationDetails,
  referencesOf,
  responseDetailsOf,
  spendingOf,
} from '../operation.ts'
import {
  intendPayout as intendPayoutFunction,
  recordPayoutOutcome as recordPayoutFunction,
} from './functions/payout.sql.ts'
import { type Claim, claimParameters, recordParameters, retryJournalWrite, traceCommit } from './journal.ts'
import { retryFirstUse, type SpendingRefusal } from './spending.ts'

/**
 * Intends a payout with its operation, in one commit. A refusal by the spending limit: nothing was written. Throws
 * `IdempotencyKeyTaken`.
 */
export async function intendPayout(
  world: World,
  payout: { id: string },
  operation: OperationRow,
  claim: Claim | undefined,
): Promise<SpendingRefusal | undefined> {
  const { spending } = operation.input
  const audit = auditEntry(world, {
    action: 'created',
    resource: { type: 'payout', id: payout.id, name: null },
  })
  const parameters = {
    account: operation.merchant_account_id,
    payout: JSON.stringify(payout),
    operation: JSON.stringify(operation),
    ...claimParameters(claim),
    auditEntry: audit,
    spending: spending ? JSON.stringify(spending) : null,
  }
  const intend = () => intendPayoutFunction.call<SpendingRefusal | null>(world, parameters)
  const exceeded = await traceCommit(world, 'intend', operation, () =>
    retryJournalWrite(() => (spending ? retryFirstUse(intend) : intend())),
  )
  return exceeded ?? undefined
}

export interface PayoutOutcomeRecord extends Pick<SendResult, 'outcome' | 'exchanges'> {
  /** As it was when the outcome was found. */
  operation: OperationRow
  /** When the outcome was recorded, as the event says, too; ISO 8601. */
  at: string
  /** When recovery looks again; null: never. */
  checkAt: string | null
  payoutStatus: string
  /** The payout as the event shows it; null: no event. */
  target: ResourceTarget | null
}

const isFinal = (status: OperationStatus): boolean =>
  status === 'approved' || status === 'declined' || status === 'failed'

/** `answered_before`: another process has answered the request, and that answer counts. */
interface RecordedPayout<T> {
  payout: T
  operation: OperationRow
  answered_before: boolean
}

/**
 * Undefined: another process was faster, and nothing was written. An outcome that is not final does not
 * overwrite one that was found meanwhile.
 */
export async function recordPayoutOutcome<T>(
  world: World,
  record: PayoutOutcomeRecord,
): Promise<RecordedPayout<T> | undefined> {
  const { operation, outcome, exchanges, at, checkAt, payoutStatus, target } = record
  const isRefused = outcome.status === 'declined' || outcome.status === 'failed'
  const released = isRefused ? spendingOf(operation) : undefined
  const parameters = {
    account: operation.merchant_account_id,
    operationId: operation.id,
    payoutId: operation.transaction_id,
    now: at,
    fromStatuses: isFinal(outcome.status) ? openStatuses : [operation.status],
    status: outcome.status,
    effectiveAmount: outcome.status === 'approved' ? outcome.amount : null,
    serviceOperationId: referencesOf(outcome).operation ?? null,
    errorCode: errorCodeOf(outcome),
    facts: JSON.stringify(operationDetails(responseDetailsOf(outcome))),
    ...recordParameters(world, exchanges),
    checkAt,
    payoutStatus,
    eventId: target && world.ids.next(),
    eventTarget: target && JSON.stringify(target),
    releasedSpending: released ? JSON.stringify(released) : null,
  }
  const write = () => recordPayoutFunction.call<RecordedPayout<T> | null>(world, parameters)
  const recorded = await traceCommit(world, 'record outcome', operation, () => retryJournalWrite(write))
  return recorded ?? undefined
}

const selectPayoutOperation = `
select row_to_json(p) as payout, row_to_json(o) as operation
  from operations o join payouts p on p.merchant_account_id = o.merchant_account_id and p.id = o.transaction_id
 where o.merchant_account_id = $1 and o.id = $2 and o.kind = 'payout'`

/** An operation and its payout as they stand. */
export async function readPayoutOperation<T>(
  world: World,
  account: string,
  id: string,
): Promise<{ payout: T; operation: OperationRow } | undefined> {
  const [row] = await world.run<{ payout: T; operation: OperationRow }>(selectPayoutOperation, [account, id])
  return row
}
