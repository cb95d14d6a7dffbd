import { makeRounds, type Rounds } from '../rounds.ts'
import type { World } from '../world.ts'
import { aboutOperation, claimDue } from './journal.ts'
import { logged, type OperationRow } from './operation.ts'

const BATCH = 32

export type Recovery = Rounds

/**
 * Looks, every few seconds and in every process, for operations without a known outcome whose time has come, and finds out. The row is its
 * own job: a queue beside it would be a second truth (docs/decisions/001-recovery-without-a-queue.md). `examine` is idempotent, so a claim
 * that outlives its process is simply taken again.
 */
export function startRecovery(world: World, examine: (operation: OperationRow) => Promise<unknown>): Recovery {
  // as short as a lookup may take: what a dying process had claimed must be known within 30 s of the restart (FIGURES R1)
  const hold = world.settings.providerTimeout + 2_000
  const round = async (stopped: () => boolean): Promise<number> => {
    let handled = 0
    for (;;) {
      const due = stopped() ? [] : await claimDue(world, BATCH, hold)
      await Promise.all(due.map((operation) => examineOne(operation)))
      handled += due.length
      if (due.length < BATCH) return handled
    }
  }
  const examineOne = async (operation: OperationRow) => {
    try {
      await world.tracing.step('recover', { begins: true, attributes: () => aboutOperation(operation) }, () => examine(operation))
    } catch (error) {
      world.log.error({ err: error, ...logged(operation) }, 'recovery could not examine an operation; it is looked at again')
    }
  }
  return makeRounds(world.settings.recoveryInterval, round, (error) => world.log.error({ err: error }, 'recovery could not read the journal'))
}
