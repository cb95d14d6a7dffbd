import { movedClocks, runInEachAccountTime } from '../accounts/merchant-accounts/account-clock.store.ts'
import { forEachAccountTime } from '../base/account-clock.ts'
import { type PeriodicTask, startPeriodicTask } from '../base/periodic-task.ts'
import type { World } from '../world.ts'
import { claimDueOperations, makeOpenOperationsDue, operationTraceAttributes, readOperationsById } from './journal/journal.ts'
import { type OperationRow, operationLogFields } from './operation.ts'

const BATCH = 32

export type Recovery = PeriodicTask

/** Finds out what became of an operation, and settles it. Idempotent: a claim that outlives its process is simply taken again. */
export type RecoverOperation = (operation: OperationRow) => Promise<{ operation: OperationRow } | undefined>

/**
 * Looks, every few seconds and in every process, for operations without a known outcome whose time has come, and finds out. The row is its
 * own job: a queue beside it would be a second truth (docs/decisions/001-recovery-without-a-queue.md).
 */
export const startRecovery = (world: World, examine: RecoverOperation): Recovery =>
  startPeriodicTask(
    world.settings.recoveryInterval,
    runInEachAccountTime(world, (stopped) => recoverDueOperations(world, examine, stopped)),
    (error) => world.log.error({ err: error }, 'recovery could not read the journal'),
  )

/** Examines the operations whose time has come; answers how many. */
export async function recoverDueOperations(world: World, examine: RecoverOperation, stopped: () => boolean = () => false): Promise<number> {
  // as short as a lookup may take: what a dying process had claimed must be known within 30 s of the restart (docs/figures.md, R1)
  const hold = world.settings.providerTimeout + 2_000
  let handled = 0
  for (;;) {
    const due = stopped() ? [] : await claimDueOperations(world, BATCH, hold)
    await Promise.all(due.map((operation) => recoverOne(world, examine, operation)))
    handled += due.length
    if (due.length < BATCH) return handled
  }
}

/** An operation that had no known outcome, before and after it was looked up. */
export interface RecoveredOperation {
  before: OperationRow
  after: OperationRow
}

/** Finds out now what became of every operation without a known outcome, whenever recovery would look at it. */
export async function recoverOpenOperations(world: World, examine: RecoverOperation): Promise<RecoveredOperation[]> {
  const open = await makeOpenOperationsDue(world)
  await forEachAccountTime(await movedClocks(world), () => recoverDueOperations(world, examine))
  const now = new Map((await readOperationsById(world, open)).map((operation) => [operation.id, operation]))
  return open.map((before) => ({ before, after: now.get(before.id) ?? before }))
}

async function recoverOne(world: World, examine: RecoverOperation, operation: OperationRow): Promise<void> {
  try {
    const examined = await world.tracing.step('recover', { startsTrace: true, attributes: () => operationTraceAttributes(operation) }, () =>
      examine(operation),
    )
    const { kind, status } = examined?.operation ?? operation
    if (status !== operation.status && status !== 'sent')
      world.log.info({ ...operationLogFields(operation), kind, status, before: operation.status }, 'recovery found out')
  } catch (error) {
    world.log.error({ err: error, ...operationLogFields(operation) }, 'recovery could not examine an operation; it is looked at again')
  }
}
