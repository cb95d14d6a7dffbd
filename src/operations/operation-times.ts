import { backOffMs } from '../base/back-off.ts'
import { answerDeadline } from '../connectors/wire/answer-deadline.ts'
import type { World } from '../world.ts'
import { isBuyerStep, type OperationOutcome, type OperationRow } from './operation.ts'

/**
 * When what happens again to an operation without a final outcome. Its `check_at` has the next of these
 * times, and recovery (`recovery.ts`) claims the operation within `RECOVERY_INTERVAL_MS` (1 s) after it. With
 * the default `PROVIDER_TIMEOUT_MS` (15 s):
 *
 * | what happened                         | `check_at`                               | function            |
 * | ------------------------------------- | ---------------------------------------- | ------------------- |
 * | intended; its process sends it        | in 20 s                                  | `operationDeadline` |
 * | intended for recovery (`queued`)      | now                                      | none                |
 * | claimed from `queued`, and sent       | in 20 s                                  | `operationDeadline` |
 * | claimed by recovery                   | in 17 s, in case its process dies, too   | `claimLeaseMs`      |
 * | the outcome is `unknown`, or unsure   | in 1, 1, 2, 4, 8, and then 15 s each     | `nextLookupAt`      |
 * |                                       | time                                     |                     |
 * | `pending` at the payment service      | in 10 min each time                      | `nextLookupAt`      |
 * | `pending` or a refused payment, and a | now, and then as above or as below       | `setOutcome`        |
 * | notification came before the answer   |                                          |                     |
 * | `pending`: the buyer or cardholder    | in 30, 30 s, 1, 2, 4, 8, and then 10 min | `nextLookupAt`      |
 * |                                       | each time, and when the approval expires |                     |
 * | decided, and a decided review waits   | in 2, 4, 8, and then 15 s each time      | `nextReviewAt`      |
 * | decided                               | null: never                              | `nextLookupAt`      |
 * | decided, and a notification says      | now, and then in 1, 1, 2, 4 s … 10 min   | `nextLateLookupAt`  |
 * | otherwise                             | each time for a day, while the books are |                     |
 * |                                       | mute                                     |                     |
 *
 * Look-ups wait as long as what they look at has lasted by then (`asLongAgain`). Their number does not count: a
 * process that claims operations again and again, and dies before it has asked, delays none.
 *
 * A sync and a notification of the payment service look an `unknown` or `pending` operation up at once. A sync
 * looks up one that is `sent` from its deadline on (`isLookupDue` in `transactions/outcome/sync-transaction.ts`);
 * a notification of it is noted (`noteEarlyNotice` in `journal/late-notice.ts`), as is that of an approval while
 * the outcome is `unknown`.
 */

/**
 * The deadline of an operation that is sent now, ISO 8601: afterwards its answer counts as lost. The time that
 * a payment service has to answer, and then 5 s: by then its process has recorded an outcome, or has died. All
 * requests of one call share that time (`sharedTimeLimit`), so that it is the same for a connector that sends
 * several.
 */
export const operationDeadline = (world: World, kind: OperationRow['kind']): string =>
  answerDeadline(world, callCount(kind))

/** How many calls an operation takes: a 3DS server is asked for its versions first. */
const callCount = (kind: OperationRow['kind']): number => (kind === 'authentication' ? 2 : 1)

/**
 * Milliseconds for which an operation belongs to the process that claimed it. As short as a look-up may take
 * with all its requests, the time-out and 2 s: an operation that a dying process had claimed is recovered within
 * 30 s of the restart (docs/figures.md, R1).
 */
export const claimLeaseMs = ({ settings }: World): number => settings.providerTimeout + 2_000

/**
 * Look-ups of an `unknown` outcome, in milliseconds: soon at first, and then twice within 30 s of a restart or
 * of a payment service's return (docs/figures.md, R1, R2).
 */
const unknownLookups = { first: 1_000, max: 15_000 }

/** Milliseconds. Payment services notify Railyard of pending operations; this is for a lost notification. */
const PENDING_LOOKUP_MS = 600_000

/**
 * Look-ups of an approval, in milliseconds: a buyer approves within minutes, and not every payment service
 * sends a notification.
 */
const approvalLookups = { first: 30_000, max: PENDING_LOOKUP_MS }

/** Look-ups of a decided operation after a notification, in milliseconds, while the books do not tell. */
const lateLookups = { first: 1_000, max: 600_000 }
/** How long after the notification they end, in milliseconds. */
const LATE_LOOKUPS_MS = 86_400_000

/** A payment with a decided review may wait for its cardholder for an hour, and then continues soon. */
const reviewRetries = { first: 1_000, max: 15_000 }

interface Lookup {
  /** Since when the outcome has not been known, ISO 8601. Absent: it is recorded now. */
  since?: string
  /** The operation waits for its buyer until then, ISO 8601; it is looked at then, too. Null: no buyer, or no end. */
  approvalExpiresAt?: string | null
}

/** When recovery looks at an operation again, ISO 8601; null: never. */
export function nextLookupAt(
  world: World,
  operation: OperationRow,
  status: OperationOutcome['status'],
  { since, approvalExpiresAt = null }: Lookup = {},
): string | null {
  const now = world.clock.now()
  const lastedMs = since === undefined ? 0 : now - Date.parse(since)
  if (status === 'unknown') return afterMs(world, asLongAgain(lastedMs, unknownLookups))
  if (status !== 'pending') return null
  if (!isBuyerStep(operation) && approvalExpiresAt === null) return afterMs(world, PENDING_LOOKUP_MS)
  const usual = asLongAgain(lastedMs, approvalLookups)
  const left = approvalExpiresAt === null ? usual : Date.parse(approvalExpiresAt) - now
  return afterMs(world, left > 0 ? Math.min(usual, left) : usual)
}

/**
 * When recovery looks again at a decided operation of which a notification says otherwise, ISO 8601; null: a
 * day has gone by.
 */
export function nextLateLookupAt(world: World, { late_notice_at: noticeAt }: OperationRow): string | null {
  const lastedMs = world.clock.now() - Date.parse(noticeAt ?? '')
  return lastedMs < LATE_LOOKUPS_MS ? afterMs(world, asLongAgain(lastedMs, lateLookups)) : null
}

/** When recovery applies the decided review of this screening again, ISO 8601. */
export const nextReviewAt = (world: World, { checks }: OperationRow): string =>
  afterMs(world, backOffMs(checks, reviewRetries))

/** Milliseconds until the next look at what has lasted so long. */
const asLongAgain = (lastedMs: number, { first, max }: { first: number; max: number }): number =>
  Math.min(Math.max(lastedMs, first), max)

const afterMs = ({ clock }: World, milliseconds: number): string =>
  new Date(clock.now() + milliseconds).toISOString()
