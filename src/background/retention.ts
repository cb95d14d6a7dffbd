import { movedClocks } from '../accounts/merchant-accounts/account-clock.store.ts'
import { eraseUntakenAnswers } from '../approvals/proposals/take-answer.ts'
import { forEachAccountTime } from '../base/account-clock.ts'
import { startPeriodicTask } from '../base/periodic-task.ts'
import { eraseExpiredCardData } from '../checkout/sessions/erase-expired.ts'
import { deleteOldDeliveries } from '../events/delivery/retention.ts'
import { deleteOldSamples } from '../monitoring/retention.ts'
import { deleteOldAccountData, deleteOldInstanceData } from '../operations/retention.ts'
import { deleteOldSpendingUsage } from '../spending-limits/retention.ts'
import type { World } from '../world.ts'

const DAY_MS = 86_400_000
const MINUTE_MS = 60_000

/**
 * Deletes old data once a day, and expired secrets once a minute, both now for the first time. A process
 * that only answers requests leaves that to the workers. Returns how to stop.
 */
export function startRetention(world: World): () => Promise<void> {
  if (world.settings.processRole === 'api') return async () => undefined
  const logFailure = (error: unknown) =>
    world.log.error({ err: error }, 'old data could not be erased; it is tried again')
  const retention = startPeriodicTask(
    DAY_MS,
    async () => {
      await deleteOldInstanceData(world)
      return inEachAccountTime(world, deleteOldData)
    },
    logFailure,
    { firstAfterMs: 0 },
  )
  const expiry = startPeriodicTask(
    MINUTE_MS,
    () => inEachAccountTime(world, eraseExpiredSecrets),
    logFailure,
    { firstAfterMs: 0 },
  )
  return async () => {
    await retention.stop()
    await expiry.stop()
  }
}

const eraseExpiredSecrets = async (world: World): Promise<void> => {
  await eraseExpiredCardData(world)
  await eraseUntakenAnswers(world)
}

/**
 * Deletes what merchant accounts have kept for as long as it may be kept, by the account clock of its caller.
 */
export async function deleteOldData(world: World): Promise<void> {
  await deleteOldAccountData(world)
  await deleteOldDeliveries(world)
  await deleteOldSamples(world)
  await deleteOldSpendingUsage(world)
}

/**
 * Runs `work` for the accounts that live in the machine's time, and then for each of the others in its own.
 */
const inEachAccountTime = async (world: World, work: (world: World) => Promise<void>): Promise<number> =>
  forEachAccountTime(await movedClocks(world), async () => {
    await work(world)
    return 0
  })
