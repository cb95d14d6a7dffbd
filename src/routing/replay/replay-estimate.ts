import { type Estimate, type WeightedTries, weightedDifference, weightedRate } from './approval-rate.ts'
import {
  type Movement,
  type RouteDestination,
  type Segment,
  type SegmentTries,
  segmentTriesKey,
  type Tally,
} from './replay-tally.ts'

/** Below this many tries a rate says little; the response lists such cells. */
export const MIN_TRIES = 30

/**
 * First attempts at a payment service that has no attempts of their segment; null: the payment service is
 * unknown.
 */
export interface Untried {
  segment: Segment
  payment_service_id: string | null
  transactions: number
}

export interface Thin extends Untried {
  payment_service_id: string
  tried: number
}

/** The expected result of the first attempts under one set of rules. */
export interface Expectation {
  attempts: number
  /** The attempts whose payment service has been tried with payments of their segment. */
  estimable: number
  /** The rate of the estimable attempts; null: there are none. */
  rate: Estimate | null
  untried: Untried[]
  thin: Thin[]
}

export interface ApprovalEstimate {
  before: Expectation
  after: Expectation
  /** Over the payments that are attempted and estimable both times; null: there are none. */
  change: Estimate | null
}

type ReplaySide = 'before' | 'after'

/**
 * The expected approval rate of first attempts, from how often first attempts of the same segment were
 * approved at the same payment service. It assumes that the payments of a segment are alike: payments that
 * would move are approved as often as those that went there.
 */
export const estimateApproval = (tally: Tally): ApprovalEstimate => ({
  before: expectationOf(tally, 'before'),
  after: expectationOf(tally, 'after'),
  change: approvalChange(tally),
})

function expectationOf({ movements, cells }: Tally, side: ReplaySide): Expectation {
  const groups = groupAttempts(movements.values(), side)
  const tried: { cell: SegmentTries; transactions: number }[] = []
  const untried: Untried[] = []
  for (const { segment, destination, transactions } of groups) {
    const cell = destination === 'not known' ? undefined : cells.get(segmentTriesKey(segment, destination.at))
    if (cell) tried.push({ cell, transactions })
    else
      untried.push({
        segment,
        payment_service_id: destination === 'not known' ? null : destination.at,
        transactions,
      })
  }
  const estimable = tried.reduce((sum, { transactions }) => sum + transactions, 0)
  return {
    attempts: estimable + untried.reduce((sum, { transactions }) => sum + transactions, 0),
    estimable,
    rate:
      estimable > 0
        ? weightedRate(tried.map(({ cell, transactions }) => ({ ...cell, weight: transactions / estimable })))
        : null,
    untried: largestFirst(untried),
    thin: largestFirst(
      tried
        .filter(({ cell }) => cell.tried < MIN_TRIES)
        .map(({ cell, transactions }) => ({
          segment: cell.segment,
          payment_service_id: cell.payment_service_id,
          transactions,
          tried: cell.tried,
        })),
    ),
  }
}

interface AttemptGroup {
  segment: Segment
  destination: Exclude<RouteDestination, 'nowhere'>
  transactions: number
}

/** First attempts by segment and payment service, without payments that have none. */
function groupAttempts(movements: Iterable<Movement>, side: ReplaySide): Iterable<AttemptGroup> {
  const groups = new Map<string, AttemptGroup>()
  for (const movement of movements) {
    const { segment, transactions, [side]: destination } = movement
    if (destination === 'nowhere') continue
    const key = segmentTriesKey(segment, destination === 'not known' ? destination : destination.at)
    const group = groups.get(key)
    if (group) group.transactions += transactions
    else groups.set(key, { segment, destination, transactions })
  }
  return groups.values()
}

/**
 * The change of the approval rate. Payments that stay at their payment service contribute neither change nor
 * uncertainty.
 */
function approvalChange({ movements, cells }: Tally): Estimate | null {
  const weights = new Map<SegmentTries, number>()
  const cellOf = (segment: Segment, destination: RouteDestination) =>
    typeof destination === 'string' ? undefined : cells.get(segmentTriesKey(segment, destination.at))
  let comparable = 0
  for (const { segment, before, after, transactions } of movements.values()) {
    const [from, to] = [cellOf(segment, before), cellOf(segment, after)]
    if (!from || !to) continue
    comparable += transactions
    weights.set(from, (weights.get(from) ?? 0) - transactions)
    weights.set(to, (weights.get(to) ?? 0) + transactions)
  }
  if (comparable === 0) return null
  const weighted = [...weights].filter(([, weight]) => weight !== 0)
  return weightedDifference(
    weighted.map(([cell, weight]): WeightedTries => ({ ...cell, weight: weight / comparable })),
  )
}

const largestFirst = <T extends { transactions: number }>(groups: T[]): T[] =>
  groups.toSorted((a, b) => b.transactions - a.transactions)
