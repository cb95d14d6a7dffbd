import { inEachTime } from '../account-time.ts'
import { movedClocks, roundInEachTime } from '../accounts/clock.store.ts'
import { makeRounds, type Rounds } from '../rounds.ts'
import type { World } from '../world.ts'
import { aboutOperation, claimDue, makeOpenDue, readOperationsById } from './journal.ts'
import { logged, type OperationRow } from './operation.ts'

const BATCH = 32

export type Recovery = Rounds

/** Finds out what became of an operation, and settles it. Idempotent: a claim that outlives its process is simply taken again. */
export type Examine = (operation: OperationRow) => Promise<{ operation: OperationRow } | undefined>

/**
 * Looks, every few seconds and in every process, for operations without a known outcome whose time has come, and finds out. The row is its
 * own job: a queue beside it would be a second truth (docs/decisions/001-recovery-without-a-queue.md).
 */
export const startRecovery = (world: World, examine: Examine): Recovery =>
  makeRounds(
    world.settings.recoveryInterval,
    roundInEachTime(world, (stopped) => recoverDue(world, examine, stopped)),
    (error) => world.log.error({ err: error }, 'recovery could not read the journal'),
  )

/** Examines the operations whose time has come; answers how many. */
export async function recoverDue(world: World, examine: Examine, stopped: () => boolean = () => false): Promise<number> {
  // as short as a lookup may take: what a dying process had claimed must be known within 30 s of the restart (FIGURES R1)
  const hold = world.settings.providerTimeout + 2_000
  let handled = 0
  for (;;) {
    const due = stopped() ? [] : await claimDue(world, BATCH, hold)
    await Promise.all(due.map((operation) => examineOne(world, examine, operation)))
    handled += due.length
    if (due.length < BATCH) return handled
  }
}

/** An operation that had no known outcome, before and after it was looked up. */
export interface LookedUp {
  before: OperationRow
  after: OperationRow
}

/** Finds out now what became of every operation without a known outcome, whenever recovery would look at it. */
export async function lookUpOpen(world: World, examine: Examine): Promise<LookedUp[]> {
  const open = await makeOpenDue(world)
  await inEachTime(await movedClocks(world), () => recoverDue(world, examine))
  const now = new Map((await readOperationsById(world, open)).map((operation) => [operation.id, operation]))
  return open.map((before) => ({ before, after: now.get(before.id) ?? before }))
}

async function examineOne(world: World, examine: Examine, operation: OperationRow): Promise<void> {
  try {
    const examined = await world.tracing.step('recover', { begins: true, attributes: () => aboutOperation(operation) }, () => examine(operation))
    const { kind, status } = examined?.operation ?? operation
    if (status !== operation.status && status !== 'sent')
      world.log.info({ ...logged(operation), kind, status, before: operation.status }, 'recovery found out')
  } catch (error) {
    world.log.error({ err: error, ...logged(operation) }, 'recovery could not examine an operation; it is looked at again')
  }
}
