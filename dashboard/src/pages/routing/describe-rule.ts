import type { Condition, FlowRule, Leaf, PaymentService } from '@railyard/client'
import { formatAmount } from '../../format/amount.ts'
import { readable } from '../../format/names.ts'
import { formatTime } from '../../format/time.ts'
import { routingWords as words } from '../../words/connections/routing.ts'
import { type FieldName, fieldKinds } from './condition-fields.ts'
import { type Attempt, readOutcome } from './outcome.ts'

/** A condition as a tree of sentences. */
export type ConditionText =
  | { is: 'leaf'; text: string }
  | { is: 'group'; text: string; parts: readonly ConditionText[] }

/** In words what must be true. */
export function describeCondition(condition: Condition, negated = false): ConditionText {
  if ('not' in condition) return describeCondition(condition.not, !negated)
  if ('all' in condition || 'any' in condition) {
    const isAll = 'all' in condition
    const parts = isAll ? condition.all : condition.any
    const [only] = parts
    if (only && parts.length === 1) return describeCondition(only, negated)
    if (isAll && parts.length === 0 && !negated) return { is: 'leaf', text: words.rule.always }
    const { all, any, notAll, notAny } = words.condition
    return {
      is: 'group',
      text: isAll ? (negated ? notAll : all) : negated ? notAny : any,
      parts: parts.map((part) => describeCondition(part)),
    }
  }
  const text = leafText(condition)
  return { is: 'leaf', text: negated ? `${words.text.not}: ${text}` : text }
}

/** The same in one line, to compare two conditions. */
export function conditionLine(text: ConditionText): string {
  return text.is === 'leaf' ? text.text : `${text.text} (${text.parts.map(conditionLine).join('; ')})`
}

/** A question about one field in words. */
export function leafText({ field, operator, value, currency }: Leaf): string {
  const name = field.startsWith('metadata.')
    ? `${words.fields.metadata} ${field.slice('metadata.'.length)}`
    : Object.hasOwn(fieldKinds, field)
      ? words.fields[field as FieldName]
      : field
  const { known, unknown } = words.operators
  if (operator === 'is_null') return `${name} ${value ? unknown : known}`
  return `${name} ${words.operators[operator] ?? operator} ${valueText(field, value, currency)}`
}

function valueText(field: string, value: Leaf['value'], currency: string | undefined): string {
  const amount = (of: number) => (currency ? formatAmount(of, currency) : words.text.units(String(of)))
  if (typeof value === 'number') return amount(value)
  if (typeof value === 'boolean') return value ? 'true' : 'false'
  if (typeof value === 'string')
    return field === 'created_at' ? `${formatTime(value, 'UTC')} UTC` : wordText(field, value)
  if (Array.isArray(value))
    return value
      .map((each) => (typeof each === 'string' ? wordText(field, each) : `${each.from}–${each.to}`))
      .join(', ')
  if ('days' in value) return words.text.days(value.days.join(', '), value.time_zone)
  if ('time_zone' in value) return words.text.hours(value.from, value.to, value.time_zone)
  return words.text.between(amount(value.from), amount(value.to))
}

/** What merchants chose themselves is shown as it is. */
const wordText = (field: string, value: string): string =>
  field === 'previous_decline' || field === 'payment_source' ? readable(value) : value

/** What a rule does, in sentences. */
export function describeOutcome(
  { action, outcome }: Pick<FlowRule, 'action' | 'outcome'>,
  services: readonly PaymentService[],
): string[] {
  const { text } = words
  const read = readOutcome(outcome)
  switch (action) {
    case 'route-transaction': {
      const attempts = (list: readonly Attempt[]) =>
        list
          .map(({ service, instrument }) => {
            const name =
              services.find(({ id }) => id === service)?.display_name ?? text.unknownService(service)
            return instrument ? name + text.by(words.outcome[instrument]) : name
          })
          .join(text.thenTry)
      const lines =
        read.shares.length > 0
          ? read.shares.map(({ percent, attempts: list }) => `${percent} %: ${attempts(list)}`)
          : [text.tryThese(attempts(read.attempts))]
      if (read.retryOn.length > 0) lines.push(text.retries(read.retryOn.map(readable).join(', ')))
      if (read.maximum !== undefined) lines.push(text.maximum(read.maximum))
      return lines
    }
    case 'decline-early':
      return [text.decline(read.errorCode)]
    case 'skip-3ds':
      return [text.skip]
    case 'select-payment-options': {
      const lines = []
      if (read.methods.length > 0) lines.push(text.methods(read.methods.map(readable).join(', ')))
      if (read.required.length > 0)
        lines.push(text.required(read.required.map((name) => words.required[name]).join(', ')))
      return lines.length > 0 ? lines : [text.nothing]
    }
    default:
      return [readable(action)]
  }
}

export interface RuleChange {
  id: string
  name: string
  kind: 'added' | 'removed' | 'changed' | 'moved' | 'turnedOff' | 'turnedOn'
  /** What is different: `[what, before, after]`. */
  lines: (readonly [what: string, before: string, after: string])[]
  places?: readonly [from: number, to: number]
}

/** What differs between two lists of rules, in words. */
export function compareRules(
  before: readonly FlowRule[],
  after: readonly FlowRule[],
  services: readonly PaymentService[],
): RuleChange[] {
  const when = ({ condition }: FlowRule) => conditionLine(describeCondition(condition))
  const then = (rule: FlowRule) => describeOutcome(rule, services).join('; ')
  // the rules that are on both sides and keep their order have not moved
  const common = (rules: readonly FlowRule[], others: readonly FlowRule[]) =>
    rules.filter(({ id }) => others.some((other) => other.id === id)).map(({ id }) => id)
  const stayed = new Set(longestCommon(common(before, after), common(after, before)))
  const changes: RuleChange[] = after.flatMap((rule, index): RuleChange[] => {
    const place = before.findIndex(({ id }) => id === rule.id)
    const old = before[place]
    const about = { id: rule.id, name: rule.display_name }
    if (!old)
      return [
        {
          ...about,
          kind: 'added',
          lines: [
            [words.diff.when, '', when(rule)],
            [words.diff.does, '', then(rule)],
          ],
        },
      ]
    const lines = (
      [
        [words.diff.name, old.display_name, rule.display_name],
        [words.diff.when, when(old), when(rule)],
        [words.diff.does, then(old), then(rule)],
      ] as const
    ).filter(([, one, other]) => one !== other)
    const found: RuleChange[] = []
    if (lines.length > 0) found.push({ ...about, kind: 'changed', lines: [...lines] })
    if (old.active !== rule.active)
      found.push({ ...about, kind: rule.active ? 'turnedOn' : 'turnedOff', lines: [] })
    if (!stayed.has(rule.id))
      found.push({ ...about, kind: 'moved', lines: [], places: [place + 1, index + 1] })
    return found
  })
  const removed = before
    .filter(({ id }) => !after.some((rule) => rule.id === id))
    .map(
      (rule): RuleChange => ({
        id: rule.id,
        name: rule.display_name,
        kind: 'removed',
        lines: [
          [words.diff.when, when(rule), ''],
          [words.diff.does, then(rule), ''],
        ],
      }),
    )
  return [...changes, ...removed]
}

/** The longest list that is in the order of both. */
function longestCommon(one: readonly string[], other: readonly string[]): string[] {
  let best: string[][] = Array.from({ length: other.length + 1 }, () => [])
  for (const id of one) {
    const row: string[][] = [[]]
    for (const [index, each] of other.entries()) {
      const left = row[index] ?? []
      const above = best[index + 1] ?? []
      row.push(each === id ? [...(best[index] ?? []), id] : left.length > above.length ? left : above)
    }
    best = row
  }
  return best.at(-1) ?? []
}
