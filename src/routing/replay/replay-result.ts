import type { FlowRulesReplay } from './replay.schema.ts'
import { type Expectation, estimateApproval, MIN_TRIES, type Untried } from './replay-estimate.ts'
import {
  decisionChanges,
  type Example,
  examplesOf,
  type ReplayDecision,
  type RouteDestination,
  type Tally,
} from './replay-tally.ts'

const MAX_PAIRS = 20

/** The display names of payment services and rules. */
export interface DisplayNames {
  services: ReadonlyMap<string, string>
  rules: ReadonlyMap<string, string>
}

type ReplayReport = Pick<FlowRulesReplay, 'decisions' | 'payment_services' | 'approval' | 'examples'>

/** The response for a tally. */
export function toReplayReport(tally: Tally, names: DisplayNames): ReplayReport {
  const { before, after, change } = estimateApproval(tally)
  return {
    decisions: decisionsOf(tally, names),
    payment_services: serviceShares(tally, names),
    approval: {
      segment: ['scheme', 'method', 'currency', 'merchant_initiated'],
      before: showExpectation(before),
      after: showExpectation(after),
      change,
    },
    examples: examplesOf(tally).map(showExample),
  }
}

function decisionsOf(tally: Tally, { rules }: DisplayNames): ReplayReport['decisions'] {
  const { total, changed } = tally
  return {
    total,
    unchanged: total - decisionChanges.reduce((sum, change) => sum + changed[change], 0),
    ...changed,
    three_d_secure: {
      newly_skipped: tally.newlySkippingThreeDSecure,
      no_longer_skipped: tally.noLongerSkippingThreeDSecure,
    },
    rules: [...tally.rules.values()]
      .map((use) => ({ ...use, display_name: rules.get(use.rule_id) ?? null }))
      .sort((a, b) => b.after - a.after || b.before - a.before),
  }
}

function serviceShares({ movements }: Tally, { services }: DisplayNames): ReplayReport['payment_services'] {
  const attempts = { before: new Map<string, number>(), after: new Map<string, number>() }
  const all = { before: 0, after: 0 }
  const addAttempts = (side: 'before' | 'after', destination: RouteDestination, transactions: number) => {
    if (typeof destination === 'string') return
    attempts[side].set(destination.at, (attempts[side].get(destination.at) ?? 0) + transactions)
    all[side] += transactions
  }
  for (const { before, after, transactions } of movements.values()) {
    addAttempts('before', before, transactions)
    addAttempts('after', after, transactions)
  }
  const shareOf = (side: 'before' | 'after', id: string) => {
    const number = attempts[side].get(id) ?? 0
    return { attempts: number, share: shareIn(number, all[side]) }
  }
  return [...new Set([...attempts.before.keys(), ...attempts.after.keys()])]
    .map((id) => ({
      payment_service_id: id,
      display_name: services.get(id) ?? null,
      before: shareOf('before', id),
      after: shareOf('after', id),
    }))
    .sort((a, b) => b.after.attempts - a.after.attempts)
}

const shareIn = (part: number, whole: number) => (whole === 0 ? 0 : part / whole)

function showExpectation({
  attempts,
  estimable,
  rate,
  untried,
  thin,
}: Expectation): ReplayReport['approval']['before'] {
  // the lower bound assumes that no other attempt is approved
  const least = shareIn((rate?.value ?? 0) * estimable, attempts)
  const totals = (pairs: readonly Untried[]) => {
    const transactions = pairs.reduce((sum, pair) => sum + pair.transactions, 0)
    return { transactions, share: shareIn(transactions, attempts) }
  }
  const showPairs = <T extends Untried>(pairs: readonly T[]) =>
    pairs
      .slice(0, MAX_PAIRS)
      .map(({ segment, ...pair }) => ({ ...segment, ...pair, share: shareIn(pair.transactions, attempts) }))
  return {
    attempts,
    estimable,
    rate,
    bounds:
      attempts === 0
        ? null
        : { low: least, high: Math.min(1, least + shareIn(attempts - estimable, attempts)) },
    not_estimable: { ...totals(untried), pairs: showPairs(untried) },
    thin: { tries_below: MIN_TRIES, ...totals(thin), pairs: showPairs(thin) },
  }
}

const showExample = ({
  transaction_id,
  change,
  before,
  after,
}: Example): ReplayReport['examples'][number] => ({
  transaction_id,
  change,
  before: showDecision(before),
  after: showDecision(after),
})

const showDecision = ({
  declined,
  skipsThreeDSecure,
  steps,
  rules,
}: ReplayDecision): ReplayReport['examples'][number]['before'] => ({
  declined_early: declined,
  three_d_secure_skipped: skipsThreeDSecure,
  payment_services: steps?.map((step) => step.payment_service_id) ?? null,
  rules: actionsOf(rules),
})

const actionsOf = (rules: ReplayDecision['rules']) =>
  (['decline-early', 'skip-3ds', 'route-transaction'] as const).flatMap((action) => {
    const rule_id = rules[action]
    return rule_id === undefined ? [] : { action, rule_id }
  })
