/**
 * The background process that claims the operations whose `check_at` has come. Before: the commit that
 * intended or recorded the operation has set `check_at` (`operation-times.ts` has all times). It claims by
 * `journal/claim-operations.ts`. After: `background/recover-operation.ts` calls
 * `transactions/outcome/recover-payment.ts` or `payouts/recover-payout.ts`, which find the outcome out.
 */

import { movedClocks, runInEachAccountTime } from '../accounts/merchant-accounts/account-clock.store.ts'
import { forEachAccountTime } from '../base/account-clock.ts'
import { type JobRound, processDueJobs, startJobRounds } from '../base/due-jobs.ts'
import type { PeriodicTask } from '../base/periodic-task.ts'
import type { World } from '../world.ts'
import { askedService, claimDueOperations, makeOpenOperationsDue } from './journal/claim-operations.ts'
import { operationTraceAttributes } from './journal/journal.ts'
import { readOperationsById } from './journal/read-operations.ts'
import { type OperationRow, operationLogFields } from './operation.ts'
import { claimLeaseMs } from './operation-times.ts'

export type Recovery = PeriodicTask

/**
 * Finds out the outcome of an operation and records it. Idempotent: an operation whose lease outlives its
 * process is claimed again.
 */
export type RecoverOperation = (operation: OperationRow) => Promise<{ operation: OperationRow } | undefined>

/**
 * Recovers, every few seconds and in every process that does background work, the open operations whose time
 * (`check_at`) has come. The row is the job: a queue beside it would be a second truth
 * (docs/decisions/001-recovery-without-a-queue.md).
 */
export const startRecovery = (world: World, recover: RecoverOperation): Recovery =>
  startJobRounds(
    world.settings.recoveryInterval,
    (round) => runInEachAccountTime(world, () => recoverDueOperations(world, recover, round))(round.stopped),
    (error) => world.log.error({ err: error }, 'recovery could not read the journal'),
  )

/** Recovers the operations whose time has come; answers how many. */
export const recoverDueOperations = (
  world: World,
  recover: RecoverOperation,
  round?: JobRound,
): Promise<number> =>
  processDueJobs(
    {
      claim: (limit, saturated) => claimDueOperations(world, limit, claimLeaseMs(world), saturated),
      serviceOf: askedService,
      process: (operation) => recoverOne(world, recover, operation),
    },
    round,
  )

/** An operation that had no known outcome, before and after it was looked up. */
export interface RecoveredOperation {
  before: OperationRow
  after: OperationRow
}

/** Recovers every open operation now, whatever its time is. */
export async function recoverOpenOperations(
  world: World,
  recover: RecoverOperation,
): Promise<RecoveredOperation[]> {
  const open = await makeOpenOperationsDue(world)
  await forEachAccountTime(await movedClocks(world), () => recoverDueOperations(world, recover))
  const now = new Map((await readOperationsById(world, open)).map((operation) => [operation.id, operation]))
  return open.map((before) => ({ before, after: now.get(before.id) ?? before }))
}

async function recoverOne(world: World, recover: RecoverOperation, operation: OperationRow): Promise<void> {
  try {
    const recovered = await world.tracing.step(
      'recover',
      { startsTrace: true, attributes: () => operationTraceAttributes(operation) },
      () => recover(operation),
    )
    const { kind, status } = recovered?.operation ?? operation
    if (status !== operation.status && status !== 'sent')
      world.log.info(
        { ...operationLogFields(operation), kind, status, before: operation.status },
        'recovery found out',
      )
  } catch (error) {
    world.log.error(
      { err: error, ...operationLogFields(operation) },
      'recovery could not examine an operation; it is looked at again',
    )
  }
}
