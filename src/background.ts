import { inEachTime } from './account-time.ts'
import { movedClocks } from './accounts/clock.store.ts'
import { eraseExpired } from './checkout/expiry.ts'
import { startMarking } from './events/log-mark.ts'
import { forgetOldDeliveries } from './events/retention.ts'
import { type Sender, startSender } from './events/sender.ts'
import { examineOperation } from './examine.ts'
import { startInsights } from './insights/keep-columns.ts'
import { forgetOldSamples } from './monitoring/retention.ts'
import { startMonitoring } from './monitoring/sampling.ts'
import { type Examine, type Recovery, startRecovery } from './operations/recovery.ts'
import { forgetOld, forgetOldOfInstance } from './operations/retention.ts'
import { startLinkExpiry } from './payment-links/expiry.ts'
import { startHealthRounds } from './payment-services/health-rounds.ts'
import { tendServiceTokens } from './payment-services/payment-service-token.ts'
import { periodically } from './periodically.ts'
import { startErasing } from './privacy/erase-buyers.ts'
import { startFetchingReports } from './reconciliation/fetch-reports.ts'
import { startReports } from './reports/rounds.ts'
import type { Rounds } from './rounds.ts'
import { startSealing } from './sealing.ts'
import { goOnAfterReview, isReviewed } from './transactions/review.ts'
import { tendInquiries } from './vault/account-updater.ts'
import { refreshFingerprints } from './vault/fingerprint-upkeep.ts'
import { tendNetworkTokens } from './vault/network-token.ts'
import { type Chore, startUpkeep, type Upkeep } from './vault/upkeep.ts'
import type { World } from './world.ts'

/** What a process does by itself, beside answering requests. Each takes up what is due, in the order of its stopping. */
export interface Background {
  /** Finds out what became of operations. */
  recovery: Recovery
  upkeep: Upkeep
  /** Examines how payment services answer. */
  health: Rounds
  /** Sends webhooks. */
  sender: Sender
  /** Seals what was written into the audit log and into the journal. */
  sealing: Rounds
  /** Writes down how far the event log is. */
  marking: Rounds
  /** Says of payment links whose time is over that they have expired. */
  links: Rounds
  /** Makes reports whose time has come. */
  reports: Rounds
  /** Takes samples of monitored metrics, and opens and closes incidents. */
  monitoring: Rounds
  /** Fetches settlement reports of payment services. */
  reconciliation: Rounds
  /** Brings what the metrics explorer adds up up to date. */
  insights: Rounds
  /** Erases personal data of buyers. */
  erasing: Rounds
}

/** What recovery does with an operation. */
export const examineDue =
  (world: World): Examine =>
  async (operation) => {
    if (!isReviewed(operation)) return examineOperation(world, operation)
    await goOnAfterReview(world, operation)
    return undefined
  }

export const chores: readonly Chore[] = [tendNetworkTokens, tendServiceTokens, tendInquiries, refreshFingerprints]

/** Everything, or in a process that only answers requests what belongs to its own calls: whoever made them alone knows what came of them. */
export const startBackground = (world: World): Background => (world.settings.role === 'api' ? ofItsOwnCalls(world) : ofTheInstance(world))

const ofItsOwnCalls = (world: World): Background => ({
  recovery: noRounds,
  upkeep: noRounds,
  health: startHealthRounds(world),
  sender: noSender,
  sealing: noRounds,
  marking: noRounds,
  links: noRounds,
  reports: noRounds,
  monitoring: noRounds,
  reconciliation: noRounds,
  insights: noRounds,
  erasing: noRounds,
})

/** Left to the workers. */
const noRounds: Rounds = { runOnce: async () => 0, stop: async () => undefined }
const noSender: Sender = { runOnce: async () => undefined, stop: async () => undefined }

const ofTheInstance = (world: World): Background => ({
  recovery: startRecovery(world, examineDue(world)),
  upkeep: startUpkeep(world, chores),
  health: startHealthRounds(world),
  sender: startSender(world),
  sealing: startSealing(world),
  marking: startMarking(world),
  links: startLinkExpiry(world),
  reports: startReports(world),
  monitoring: startMonitoring(world),
  reconciliation: startFetchingReports(world),
  insights: startInsights(world),
  erasing: startErasing(world),
})

const DAY_MS = 86_400_000
const MINUTE_MS = 60_000

/** Erases what has been kept for as long as it may be. The answer stops it. */
export function startCleaning(world: World): () => Promise<void> {
  if (world.settings.role === 'api') return async () => undefined
  const retention = periodically(DAY_MS, async () => {
    await forgetOldOfInstance(world)
    await everywhere(world, forgetWhatIsOld)
  })
  const expiry = periodically(MINUTE_MS, () => everywhere(world, eraseExpired))
  return async () => {
    await retention()
    await expiry()
  }
}

/** What belongs to accounts, in whose time it is called. */
export async function forgetWhatIsOld(world: World): Promise<void> {
  await forgetOld(world)
  await forgetOldDeliveries(world)
  await forgetOldSamples(world)
}

/** For the accounts that live in the machine's time, and for each of the others in its own. */
async function everywhere(world: World, clean: (world: World) => Promise<void>): Promise<void> {
  try {
    await inEachTime(await movedClocks(world), async () => {
      await clean(world)
      return 0
    })
  } catch (error) {
    world.log.error({ err: error }, 'what is old could not be erased; it is tried again')
  }
}
