import { movedClocks } from '../accounts/merchant-accounts/account-clock.store.ts'
import { forEachAccountTime } from '../base/account-clock.ts'
import type { PeriodicTask } from '../base/periodic-task.ts'
import { runPeriodically } from '../base/run-periodically.ts'
import { eraseExpiredCardData } from '../checkout/sessions/erase-expired.ts'
import { deleteOldDeliveries } from '../events/delivery/retention.ts'
import { type Sender, startSender } from '../events/delivery/sender.ts'
import { startLogMarks } from '../events/feed/log-marks.ts'
import { startInsights } from '../insights/columns/update-columns.ts'
import { deleteOldSamples } from '../monitoring/retention.ts'
import { startMonitoring } from '../monitoring/sampling.ts'
import { type RecoverOperation, type Recovery, startRecovery } from '../operations/recovery.ts'
import { deleteOldAccountData, deleteOldInstanceData } from '../operations/retention.ts'
import { startLinkExpiry } from '../payment-links/expire-links.ts'
import { startCircuitUpdates } from '../payment-services/health/update-circuits.ts'
import { processDueServiceTokens } from '../payment-services/tokens/payment-service-token.ts'
import { startErasures } from '../privacy/run-erasures.ts'
import { startFetchingReports } from '../reconciliation/fetch-reports.ts'
import { startReports } from '../reports/executions/make-reports.ts'
import { isReviewDecided, recoverReview } from '../transactions/review/review.ts'
import { processDueInquiries } from '../vault/account-updater/account-updater.ts'
import { type BackgroundTask, type BackgroundTasks, startBackgroundTasks } from '../vault/background-tasks.ts'
import { refreshFingerprints } from '../vault/cards/refresh-fingerprints.ts'
import { processDueNetworkTokens } from '../vault/network-tokens/network-token.ts'
import type { World } from '../world.ts'
import { recoverOperation } from './recover-operation.ts'
import { startSealing } from './seal-logs.ts'

/** What a process does by itself, beside answering requests. Each takes up what is due, in the order of its stopping. */
export interface Background {
  /** Finds out what became of operations. */
  recovery: Recovery
  maintenance: BackgroundTasks
  /** Examines how payment services answer. */
  health: PeriodicTask
  /** Sends webhooks. */
  sender: Sender
  /** Seals what was written into the audit log and into the journal. */
  sealing: PeriodicTask
  /** Writes down how far the event log is. */
  logMarks: PeriodicTask
  /** Says of payment links whose time is over that they have expired. */
  paymentLinks: PeriodicTask
  /** Makes reports whose time has come. */
  reports: PeriodicTask
  /** Takes samples of monitored metrics, and opens and closes incidents. */
  monitoring: PeriodicTask
  /** Fetches settlement reports of payment services. */
  reconciliation: PeriodicTask
  /** Brings what the metrics explorer adds up up to date. */
  insights: PeriodicTask
  /** Erases personal data of buyers. */
  erasing: PeriodicTask
}

/** What recovery does with an operation. */
export const recoverOperationOrReview =
  (world: World): RecoverOperation =>
  async (operation) => {
    if (!isReviewDecided(operation)) return recoverOperation(world, operation)
    await recoverReview(world, operation)
    return undefined
  }

export const backgroundTasks: readonly BackgroundTask[] = [processDueNetworkTokens, processDueServiceTokens, processDueInquiries, refreshFingerprints]

/** Everything, or in a process that only answers requests what belongs to its own calls: whoever made them alone knows what came of them. */
export const startBackground = (world: World): Background => (world.settings.role === 'api' ? apiProcessTasks(world) : instanceTasks(world))

const apiProcessTasks = (world: World): Background => ({
  recovery: noTask,
  maintenance: noTask,
  health: startCircuitUpdates(world),
  sender: noSender,
  sealing: noTask,
  logMarks: noTask,
  paymentLinks: noTask,
  reports: noTask,
  monitoring: noTask,
  reconciliation: noTask,
  insights: noTask,
  erasing: noTask,
})

/** Left to the workers. */
const noTask: PeriodicTask = { runOnce: async () => 0, stop: async () => undefined }
const noSender: Sender = { runOnce: async () => undefined, stop: async () => undefined }

const instanceTasks = (world: World): Background => ({
  recovery: startRecovery(world, recoverOperationOrReview(world)),
  maintenance: startBackgroundTasks(world, backgroundTasks),
  health: startCircuitUpdates(world),
  sender: startSender(world),
  sealing: startSealing(world),
  logMarks: startLogMarks(world),
  paymentLinks: startLinkExpiry(world),
  reports: startReports(world),
  monitoring: startMonitoring(world),
  reconciliation: startFetchingReports(world),
  insights: startInsights(world),
  erasing: startErasures(world),
})

const DAY_MS = 86_400_000
const MINUTE_MS = 60_000

/** Erases what has been kept for as long as it may be. The answer stops it. */
export function startRetention(world: World): () => Promise<void> {
  if (world.settings.role === 'api') return async () => undefined
  const retention = runPeriodically(DAY_MS, async () => {
    await deleteOldInstanceData(world)
    await cleanEachAccountTime(world, deleteOldData)
  })
  const expiry = runPeriodically(MINUTE_MS, () => cleanEachAccountTime(world, eraseExpiredCardData))
  return async () => {
    await retention()
    await expiry()
  }
}

/** What belongs to accounts, in whose time it is called. */
export async function deleteOldData(world: World): Promise<void> {
  await deleteOldAccountData(world)
  await deleteOldDeliveries(world)
  await deleteOldSamples(world)
}

/** For the accounts that live in the machine's time, and for each of the others in its own. */
async function cleanEachAccountTime(world: World, clean: (world: World) => Promise<void>): Promise<void> {
  try {
    await forEachAccountTime(await movedClocks(world), async () => {
      await clean(world)
      return 0
    })
  } catch (error) {
    world.log.error({ err: error }, 'what is old could not be erased; it is tried again')
  }
}
