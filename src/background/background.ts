import type { App } from '../api/app.ts'
import { startProposals } from '../approvals/proposals/execute-proposals.ts'
import type { PeriodicTask } from '../base/periodic-task.ts'
import { type Sender, startSender } from '../events/delivery/sender.ts'
import { startLogMarks } from '../events/feed/log-marks.ts'
import { startPageChecks } from '../hosted-pages/check-pages.ts'
import { startInsights } from '../insights/columns/update-columns.ts'
import { startMonitoring } from '../monitoring/sampling.ts'
import { type Recovery, startRecovery } from '../operations/recovery.ts'
import { startLinkExpiry } from '../payment-links/expire-links.ts'
import { startCircuitUpdates } from '../payment-services/health/update-circuits.ts'
import { processDueServiceTokens } from '../payment-services/tokens/payment-service-token.ts'
import { startErasures } from '../privacy/run-erasures.ts'
import { startFetchingReports } from '../reconciliation/fetch-reports.ts'
import { startReports } from '../reports/executions/make-reports.ts'
import { processDueInquiries } from '../vault/account-updater/account-updater.ts'
import { type BackgroundTask, type BackgroundTasks, startBackgroundTasks } from '../vault/background-tasks.ts'
import { refreshFingerprints } from '../vault/cards/refresh-fingerprints.ts'
import { processDueNetworkTokens } from '../vault/network-tokens/network-token.ts'
import type { World } from '../world.ts'
import { startPartitioning } from './partitioning.ts'
import { recoverOperationOrReview } from './recover-operation.ts'
import { startSealing } from './seal-logs.ts'

/** The background work of a process. */
export interface Background {
  /** Finds out unknown outcomes, and continues operations that a process left unfinished. */
  recovery: Recovery
  maintenance: BackgroundTasks
  /** Opens and closes the circuits of payment services. */
  health: PeriodicTask
  /** Sends webhooks. */
  sender: Sender
  /** Seals new rows of the audit log and of the journal. */
  sealing: PeriodicTask
  /** Records how far the event log is final. */
  logMarks: PeriodicTask
  /** Expires payment links. */
  paymentLinks: PeriodicTask
  /** Makes the reports that are due. */
  reports: PeriodicTask
  /** Takes samples of monitored metrics, and opens and closes incidents. */
  monitoring: PeriodicTask
  /** Fetches settlement reports of payment services. */
  reconciliation: PeriodicTask
  /** Updates the columns of the metrics explorer. */
  insights: PeriodicTask
  /** Erases personal data of buyers. */
  erasing: PeriodicTask
  /** Executes approved proposals, and expires pending ones. */
  proposals: PeriodicTask
  /** Divides large tables. */
  partitioning: PeriodicTask
  /** Compares the hosted pages at PUBLIC_URL with what Railyard sends. */
  pageChecks: PeriodicTask
}

/** What the vault's and the payment services' tokens, the account updater and card fingerprints need done. */
export const backgroundTasks: readonly BackgroundTask[] = [
  processDueNetworkTokens,
  processDueServiceTokens,
  processDueInquiries,
  (world) => refreshFingerprints(world),
]

/**
 * Starts all background work. A process that only answers requests starts the health checks, since it counts its
 * own calls, which no other process knows, and executes proposals, whose requests its own server answers.
 */
export const startBackground = (world: World, app: App): Background =>
  world.settings.processRole === 'api' ? apiProcessTasks(world, app) : instanceTasks(world, app)

const apiProcessTasks = (world: World, app: App): Background => ({
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
  proposals: startProposals(world, app),
  partitioning: noTask,
  pageChecks: noTask,
})

/** The workers do it. */
const noTask: PeriodicTask = { runOnce: async () => 0, stop: async () => undefined }
const noSender: Sender = { runOnce: async () => undefined, stop: async () => undefined }

const instanceTasks = (world: World, app: App): Background => ({
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
  // a worker has no routes to which it could send a request
  proposals: world.settings.processRole === 'worker' ? noTask : startProposals(world, app),
  partitioning: startPartitioning(world),
  pageChecks: startPageChecks(world),
})
