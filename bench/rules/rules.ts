import { compileRules } from '../../src/routing/compile.ts'
import type { Condition } from '../../src/routing/conditions/condition.schema.ts'
import { decideRoute } from '../../src/routing/decide.ts'
import type { Facts } from '../../src/routing/facts.ts'
import { type RoutableService, ruleProblems, toRule } from '../../src/routing/rules/rule-problems.ts'
import type { Options } from '../options.ts'
import { type Goal, spread, table } from '../report.ts'
import { figure } from '../statistics.ts'

const RULES = 50
const PAYMENTS = 1_000

const services: RoutableService[] = ['a', 'b', 'c'].map((letter) => ({
  id: `${letter.repeat(8)}-0000-4000-8000-000000000000`,
  method: 'card',
  deleted_at: null,
}))
const eligible = services.map(({ id }) => id)

/**
 * Typical conditions of merchants. The payment decides which of them holds, so a decision evaluates one rule
 * or all fifty.
 */
const condition = (index: number): Condition => ({
  all: [
    { field: 'currency', operator: 'in', value: ['EUR', 'USD', 'GBP'] },
    {
      any: [
        { field: 'scheme', operator: 'is', value: 'visa' },
        { field: 'bin', operator: 'starts_with', value: ['55', '2221', '37'] },
      ],
    },
    { field: 'amount', operator: 'between', value: { from: index * 200, to: index * 200 + 199 } },
    { not: { field: 'issuer_country', operator: 'in', value: ['BR', 'IN', 'MX'] } },
    { not: { field: 'metadata.tier', operator: 'contains', value: 'staff' } },
    {
      field: 'time_of_day',
      operator: 'between',
      value: { from: '00:00', to: '23:59', time_zone: 'Europe/Berlin' },
    },
  ],
})

/** Fifty valid rules; every second one has a split. */
function ruleset() {
  const rules = Array.from({ length: RULES }, (_, index) => {
    const attempts = eligible.map((id) => ({ payment_service_id: id }))
    const split = [
      { percent: 10, attempts: attempts.slice(0, 1) },
      { percent: 90, attempts: attempts.slice(1) },
    ]
    const rule = {
      id: `018f0000-0000-7000-8000-${String(index).padStart(12, '0')}`,
      display_name: `Rule ${index}`,
      action: 'route-transaction' as const,
      condition: condition(index),
      outcome: index % 2 === 0 ? { attempts } : { split },
    }
    const problems = ruleProblems('card-transaction', rule, services)
    const known = toRule(rule)
    if (!known) throw new Error(`rule ${index}: ${JSON.stringify(problems)}`)
    return known
  })
  return compileRules({ flow: 'card-transaction', version: 1, rules })
}

/** Amounts up to 12,000; the rules cover those up to 10,000, so that no rule decides one payment in six. */
const payments: readonly Facts[] = Array.from({ length: PAYMENTS }, (_, index) => ({
  amount: (index * 7_919) % 12_000,
  currency: 'EUR',
  country: 'DE',
  bin: '55555555',
  scheme: 'mastercard',
  card_type: 'credit',
  issuer_country: 'DE',
  method: 'card',
  payment_source: 'ecommerce',
  intent: 'authorize',
  merchant_initiated: false,
  is_subsequent_payment: false,
  metadata: { tier: 'gold', order: String(index) },
  buyer_id: `018f0000-0000-7000-8000-${String(index).padStart(12, '0')}`,
  buyer_external_identifier: null,
  created_at: new Date(1_795_000_000_000 + index * 60_000).toISOString(),
  previous_decline: null,
}))

/** Repetitions in a second of CPU time: the rate of one core, however busy the machine is. */
function rate(seconds: number, work: (index: number) => unknown): number {
  let done = 0
  let kept: unknown
  const start = process.cpuUsage()
  const spent = () => {
    const { user, system } = process.cpuUsage(start)
    return (user + system) / 1_000_000
  }
  while (spent() < seconds) {
    for (let index = 0; index < PAYMENTS; index += 1) kept = work(index)
    done += PAYMENTS
  }
  if (kept === undefined) throw new Error('nothing was measured')
  return done / spent()
}

/** Decisions a second with fifty rules, and the time to parse the same facts from JSON in the same round. */
export function measureRules({ seconds, rounds }: Options): { goals: Goal[]; problems: string[] } {
  const rules = ruleset()
  const texts = payments.map((facts) => JSON.stringify(facts))
  const occasion = { buyer: null, transaction: 'bench', at: '2026-11-21T12:00:00.000Z' }
  const decide = (index: number) => {
    const facts = payments[index]
    return facts && decideRoute(rules, facts, eligible, { ...occasion, buyer: facts.buyer_id })
  }
  const read = (index: number) => JSON.parse(texts[index] ?? 'null')
  rate(0.3, decide)
  const measured = Array.from({ length: rounds }, () => ({
    decisions: rate(seconds, decide),
    reads: rate(seconds, read),
  }))
  const decisions = figure(measured.map((round) => round.decisions))
  const ratio = figure(measured.map((round) => round.decisions / round.reads))
  const matched = payments.filter((_, index) => decide(index)?.action).length
  console.log(
    `\n#### Rules\n\n${table(
      ['', 'per second of CPU'],
      [
        [`decisions, ${RULES} rules`, spread(decisions)],
        ['JSON.parse of the facts', spread(figure(measured.map((round) => round.reads)))],
        ['ratio', spread(ratio)],
      ],
    )}`,
  )
  const share = matched / PAYMENTS
  return {
    goals: [
      {
        name: `decisions on one core, ${RULES} rules`,
        figure: decisions,
        unit: 'per second of CPU',
        better: 'higher',
        gate: 100_000,
      },
    ],
    problems:
      share > 0.8 && share < 0.87 ? [] : [`${matched} of ${PAYMENTS} payments were decided by a rule`],
  }
}
