import { createAccountClock } from '../base/account-clock.ts'
import type { Clock } from '../base/clock.ts'
import { type Ids, timeOrderedIds } from '../base/ids.ts'
import { type Books, openBooks } from './core/books.ts'
import type { OperationKind, Result } from './core/operation.ts'
import type { Payment } from './core/payment.ts'
import type { Answer, BuyerDecision, BuyerDecisionResult, Call, Incoming, NotificationMessage } from './core/provider-messages.ts'
import type { ReportFormat } from './core/report-format.ts'
import type { Fault } from './faults/faults.ts'

/** What the sandbox's providers share while they run. */
export interface Sandbox {
  /** The time of the merchant account that is being served. */
  clock: Clock
  /** How far each payment service's merchant is ahead of the machine's time, as it last told; for what buyers and timers do between its requests. */
  clockOffsets: Map<string, number>
  ids: Ids
  books: Books
  faults: Fault[]
  /** Where the chance of these faults began; null before any were set. */
  faultSeed: number | null
  /** Keys whose operation is declined while it is processed now. */
  declining: Set<string>
  /** By payment service: what is told only after something else (`notification_reordered`). */
  delayedNotifications: Map<string, (() => void)[]>
  /** How many requests with a key a `delay` is holding. */
  inProgress: Map<string, number>
  /** The last two answers about different operations, by payment service: what a `duplicate` sends again. */
  lastAnswers: Map<string, Answer[]>
  /** How long a pending operation stays so when nobody asks, in milliseconds. */
  pendingMs: number
  timers: Set<NodeJS.Timeout>
  /** Aborts what is on its way when the sandbox ends. */
  ending: AbortController
  /** How each provider tells a merchant that something became final, by the first segment of its paths. */
  providers: ReadonlyMap<string, Provider>
  /** Where a buyer's browser reaches the providers' pages; the simulator's own address unless something stands in front of it. */
  pagesUrl: () => string
  /** Where the providers reach each other. */
  ownUrl: () => string
}

/** A simulated provider. */
export interface Provider {
  /** Recognizes a request; null: no such resource. */
  receive(sandbox: Sandbox, incoming: Incoming): Call | null
  /** What the merchant's notification URL is told when an operation has become final. */
  notification(sandbox: Sandbox, payment: Payment, result: Result): NotificationMessage | Promise<NotificationMessage>
  /** How its settlement reports are written; absent: it has none. */
  report?: ReportFormat
  /** The error codes with which it can still refuse what it has accepted; absent: any. */
  lateRefusals?(kind: OperationKind): readonly string[]
  /** The buyer of this order or session decides; absent: it asks no buyers. */
  decideForBuyer?(sandbox: Sandbox, service: string, reference: string, decision: BuyerDecision): Promise<BuyerDecisionResult> | BuyerDecisionResult
  /** What it keeps beside the books of an authorization that has just expired. */
  expire?(sandbox: Sandbox, payment: Payment): void
}

export interface SandboxOptions {
  clock: Clock
  /** Where the books are kept; absent: in memory only. */
  booksFile?: string
  /** Answer only when the books are on the disk. */
  fsync?: boolean
  /** Default 30 s. */
  pendingMs?: number
  pagesUrl?: () => string
  ownUrl?: () => string
}

export function openSandbox(
  { clock, booksFile, fsync = false, pendingMs = 30_000, pagesUrl = () => '', ownUrl = () => '' }: SandboxOptions,
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
 * Runs `work` after a while of real time, unless the sandbox ends first. It does not keep the process alive, nor end it: `work` fails
 * when the disk refuses the books, and then things stay as they were.
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

/** The clock's time as the books write it. */
export const timestamp = ({ clock }: Sandbox): string => new Date(clock.now()).toISOString()
