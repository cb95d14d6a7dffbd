import {
  exchangesOf,
  isBookkeepingKind,
  isCheckKind,
  isGiftCardKind,
} from '../../src/operations/operation.ts'
import { outcomeForAmount } from '../../src/sandbox/core/amounts.ts'
import type { Books } from './books.ts'
import { isAcknowledged, isRefused, type Sent } from './client.ts'
import type { Life } from './crashes.ts'
import type { InstanceTables } from './read-tables.ts'

interface Distribution {
  count: number
  p50: number
  p99: number
  max: number
}

/** The figures of a run. Times in milliseconds. */
export interface Report {
  findings: string[]
  crashes: number
  crashesWhileStarting: number
  seconds: number
  requests: number
  acknowledged: number
  refused: number
  /** Requests without a key and without an answer: they cannot be repeated. */
  unansweredForEver: number
  /** Keyed requests that were sent more than once because a crash took their answer. */
  retriedByKey: number
  replaysCompared: number
  inFlightAtKill: Distribution
  transactions: number
  payouts: number
  operations: number
  /** Operations in progress when the process died. */
  crossedACrash: number
  /** Of these, the ones that had taken effect in the books. */
  crossedAndApproved: number
  /** Operations whose outcome recovery found. */
  foundOutByRecovery: number
  /**
   * From the restart after the crash that interrupted an operation until its outcome was recorded. Further
   * crashes may lie between.
   */
  restartToSettled: Distribution
  /** From the last restart before its outcome was recorded. */
  lastRestartToSettled: Distribution
  /** The operations that took longest after the last restart, with the answers that recovery got. */
  slowest: string[]
  restartToReady: Distribution
  /** The same in processor time. */
  cpuToReady: Distribution
  /** Lines of level error that the service logged, by their message. */
  logged: Record<string, number>
}

function distribution(values: number[]): Distribution {
  const sorted = values.toSorted((a, b) => a - b)
  const at = (share: number) => sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? 0
  return { count: sorted.length, p50: at(0.5), p99: at(0.99), max: at(1) }
}

interface Seen {
  lives: readonly Life[]
  log: readonly Sent[]
  tables: InstanceTables
  books: Books
  replays: number
  findings: string[]
  logged: string[]
  seconds: number
}

export function figuresOf({ lives, log, tables, books, replays, findings, logged, seconds }: Seen): Report {
  const killed = lives.flatMap(({ killedAt }) => killedAt ?? [])
  const starts = lives.flatMap(({ readyAt }) => readyAt ?? [])
  const operations = [...tables.operations.values()]
  const crossed = operations.flatMap((row) => {
    const [created, settled] = [Date.parse(row.created_at), Date.parse(row.settled_at ?? '')]
    const cutOffAt = killed.find((at) => at >= created)
    // the payment service decides pending operations in its own time
    const { kind } = row
    const decided =
      isBookkeepingKind(kind) ||
      kind === 'approval' ||
      isCheckKind(kind) ||
      isGiftCardKind(kind) ||
      outcomeForAmount(kind, row.amount).status !== 'pending'
    return decided && cutOffAt !== undefined && settled > cutOffAt ? [{ row, cutOffAt, settled }] : []
  })
  const sinceRestart = (settled: number) => settled - (starts.findLast((start) => start < settled) ?? settled)
  const slowest = crossed.toSorted((a, b) => sinceRestart(b.settled) - sinceRestart(a.settled)).slice(0, 3)
  const restartAfter = (at: number) => starts.find((start) => start > at) ?? at
  return {
    findings,
    crashes: killed.length,
    crashesWhileStarting: lives.filter(({ killedAt, readyAt }) => killedAt !== null && readyAt === null)
      .length,
    seconds: Math.round(seconds),
    requests: log.length,
    acknowledged: log.filter(isAcknowledged).length,
    refused: log.filter(isRefused).length,
    unansweredForEver: log.filter(({ answer }) => answer === undefined).length,
    retriedByKey: log.filter(({ tries }) => tries > 1).length,
    replaysCompared: replays,
    inFlightAtKill: distribution(
      lives
        .filter(({ killedAt, readyAt }) => killedAt !== null && readyAt !== null)
        .map(({ inFlight }) => inFlight),
    ),
    transactions: tables.transactions.size,
    payouts: tables.payouts.size,
    operations: operations.length,
    crossedACrash: crossed.length,
    crossedAndApproved: crossed.filter(({ row }) => books.operations.get(row.id)?.status === 'approved')
      .length,
    foundOutByRecovery: operations.filter(({ checks }) => checks > 0).length,
    restartToSettled: distribution(crossed.map(({ cutOffAt, settled }) => settled - restartAfter(cutOffAt))),
    lastRestartToSettled: distribution(crossed.map(({ settled }) => sinceRestart(settled))),
    slowest: slowest.map(({ row, settled }) => {
      const answers = exchangesOf(row).map(({ status, response }) => status ?? JSON.stringify(response))
      return `${row.kind}, ${row.checks} lookups, ${sinceRestart(settled)} ms: ${answers}`
    }),
    restartToReady: distribution(lives.flatMap(({ ready }) => ready?.ms ?? [])),
    cpuToReady: distribution(lives.flatMap(({ ready }) => ready?.cpuMs ?? [])),
    logged: Object.fromEntries(
      Map.groupBy(logged.map(messageOf), (message) => message)
        .entries()
        .map(([message, lines]) => [message, lines.length]),
    ),
  }
}

function messageOf(line: string): string {
  try {
    const { msg, err } = JSON.parse(line)
    return err?.message ? `${msg}: ${err.message}` : msg
  } catch {
    return line
  }
}
