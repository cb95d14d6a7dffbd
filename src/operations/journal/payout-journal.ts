import { auditEntry } from '../../database/logs/audit-log.ts'
import type { ResourceTarget } from '../../database/tables/events.ts'
import type { World } from '../../world.ts'
import type { SendResult } from '../calls/send-operation.ts'
import { errorCodeOf, factsOf, type OperationRow, type OperationStatus, openStatuses, referencesOf } from '../operation.ts'
import { type Claim, claimValues, retryJournalWrite, traceCommit } from './journal.ts'
import * as statement from './payout.sql.ts'

/** Intends a payout with its operation, in one commit. Throws `IdempotencyKeyTaken`. */
export async function intendPayout(world: World, payout: { id: string }, operation: OperationRow, claim: Claim | undefined): Promise<void> {
  const audit = auditEntry(world, { action: 'created', resource: { type: 'payout', id: payout.id, name: null } })
  const values = [JSON.stringify(payout), JSON.stringify(operation), ...claimValues(claim), audit]
  await traceCommit(world, 'intend', operation, () => retryJournalWrite(() => world.run(statement.intendPayout, values)))
}

export interface PayoutOutcomeRecord extends Pick<SendResult, 'outcome' | 'exchanges'> {
  /** As it was when the outcome was found. */
  operation: OperationRow
  /** When it was settled, as its event says, too. */
  at: string
  /** When recovery looks again; null: never. */
  checkAt: string | null
  payoutStatus: string
  /** The payout as the event shows it; null: there is nothing to tell. */
  target: ResourceTarget | null
}

const isFinal = (status: OperationStatus): boolean => status === 'approved' || status === 'declined' || status === 'failed'

/** `answered_before`: the request was answered by an earlier settlement, and that answer is the one that counts. */
interface RecordedPayout<T> {
  payout: T
  operation: OperationRow
  answered_before: boolean
}

/** Undefined: another settler was faster, and nothing was written. What is not final must not overwrite what was found meanwhile. */
export async function recordPayoutOutcome<T>(world: World, settlement: PayoutOutcomeRecord): Promise<RecordedPayout<T> | undefined> {
  const { operation, outcome, exchanges, at, checkAt, payoutStatus, target } = settlement
  const values = [
    operation.merchant_account_id,
    operation.id,
    at,
    isFinal(outcome.status) ? openStatuses : [operation.status],
    outcome.status,
    outcome.status === 'approved' ? outcome.amount : null,
    referencesOf(outcome).operation ?? null,
    errorCodeOf(outcome),
    JSON.stringify(factsOf(outcome)),
    JSON.stringify(exchanges),
    checkAt,
    payoutStatus,
    target && world.ids.next(),
    target && JSON.stringify(target),
  ]
  const settled = () => retryJournalWrite(() => world.run<RecordedPayout<T> & Record<string, unknown>>(statement.recordPayoutOutcome, values))
  const [row] = await traceCommit(world, 'settle', operation, settled)
  return row
}

const selectPayoutOperation = `
select row_to_json(p) as payout, row_to_json(o) as operation
  from operations o join payouts p on p.merchant_account_id = o.merchant_account_id and p.id = o.transaction_id
 where o.merchant_account_id = $1 and o.id = $2 and o.kind = 'payout'`

/** An operation and its payout as they stand. */
export async function readPayoutOperation<T>(world: World, account: string, id: string): Promise<{ payout: T; operation: OperationRow } | undefined> {
  const [row] = await world.run<{ payout: T; operation: OperationRow }>(selectPayoutOperation, [account, id])
  return row
}
