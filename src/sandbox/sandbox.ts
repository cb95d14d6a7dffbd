import { createAccountClock } from '../base/account-clock.ts'
import type { Clock } from '../base/clock.ts'
import { type Ids, timeOrderedIds } from '../base/ids.ts'
import { type Books, openBooks } from './core/books.ts'
import type { OperationKind, Result } from './core/operation.ts'
import type { Payment } from './core/payment.ts'
import type {
  Answer,
  BuyerDecision,
  BuyerDecisionResult,
  Call,
  Incoming,
  NotificationMessage,
} from './core/provider-messages.ts'
import type { ReportFormat } from './core/report-format.ts'
import type { Fault } from './faults/faults.ts'

/** The state that the sandbox's providers share. */
export interface Sandbox {
  /** The time of the merchant account whose request is being processed. */
  clock: Clock
  /**
   * The clock offset in the last request of each payment service's merchant, for buyers and timers between
   * its requests.
   */
  clockOffsets: Map<string, number>
  ids: Ids
  books: Books
  faults: Fault[]
  /** The seed of the faults; null before any were set. */
  faultSeed: number | null
  /** Keys whose operation a fault declines while it is processed. */
  declining: Set<string>
  /** Notifications to send after another one (`notification_reordered`), by payment service. */
  delayedNotifications: Map<string, (() => void)[]>
  /** The number of requests with a key that a `delay` is holding. */
  inProgress: Map<string, number>
  /** The last two answers about different operations, by payment service, for `duplicate`. */
  lastAnswers: Map<string, Answer[]>
  /** How long an operation stays pending without a lookup, in milliseconds. */
  pendingMs: number
  timers: Set<NodeJS.Timeout>
  /** Aborts requests in flight when the sandbox ends. */
  ending: AbortController
  /** The providers, by the first segment of their paths. */
  providers: ReadonlyMap<string, Provider>
  /** The URL at which a buyer's browser reaches the providers' pages; by default the simulator's own. */
  pagesUrl: () => string
  /** The URL at which the providers reach each other. */
  ownUrl: () => string
}

/** A simulated provider. */
export interface Provider {
  /** Recognizes a request; null: there is no such resource. */
  receive(sandbox: Sandbox, incoming: Incoming): Call | null
  /** The notification for the merchant when an operation has become final; absent: it sends none. */
  notification?(
    sandbox: Sandbox,
    payment: Payment,
    result: Result,
  ): NotificationMessage | Promise<NotificationMessage>
  /** The format of its settlement reports; absent: it has none. */
  report?: ReportFormat
  /** The error codes with which it can refuse an operation that it has accepted; absent: any. */
  lateRefusals?(kind: OperationKind): readonly string[]
  /** Decides for the buyer of this order or session; absent: its buyers do not approve. */
  decideForBuyer?(
    sandbox: Sandbox,
    service: string,
    reference: string,
    decision: BuyerDecision,
  ): Promise<BuyerDecisionResult> | BuyerDecisionResult
  /** Updates its documents when an authorization has expired. */
  expire?(sandbox: Sandbox, payment: Payment): void
}

export interface SandboxOptions {
  clock: Clock
  /** The file of the books; absent: in memory only. */
  booksFile?: string
  /** Answer only after the books are on the disk. */
  fsync?: boolean
  /** Default 30 s. */
  pendingMs?: number
  pagesUrl?: () => string
  ownUrl?: () => string
}

export function openSandbox(
  {
    clock,
    booksFile,
    fsync = false,
    pendingMs = 30_000,
    pagesUrl = () => '',
    ownUrl = () => '',
  }: SandboxOptions,
  providers: Sandbox['providers'],
): Sandbox {
  return {
    clock: createAccountClock(clock),
    clockOffsets: new Map(),
    ids: timeOrderedIds(clock),
    books: openBooks(booksFile, fsync),
    faults: [],
    faultSeed: null,
    declining: new Set(),
    delayedNotifications: new Map(),
    inProgress: new Map(),
    lastAnswers: new Map(),
    pendingMs,
    timers: new Set(),
    ending: new AbortController(),
    providers,
    pagesUrl,
    ownUrl,
  }
}

/**
 * Runs `work` after this time, unless the sandbox ends first. The timer does not keep the process alive.
 * `work` fails if the disk refuses the books; then nothing changes.
 */
export function runAfter(sandbox: Sandbox, milliseconds: number, work: () => void | Promise<void>): void {
  const timer = setTimeout(async () => {
    sandbox.timers.delete(timer)
    try {
      await work()
    } catch {}
  }, milliseconds)
  timer.unref()
  sandbox.timers.add(timer)
}

export function closeSandbox(sandbox: Sandbox): void {
  sandbox.ending.abort()
  for (const timer of sandbox.timers) clearTimeout(timer)
  sandbox.timers.clear()
  sandbox.books.file?.close()
}

/** The current time in the books' format. */
export const timestamp = ({ clock }: Sandbox): string => new Date(clock.now()).toISOString()
