import { Check } from 'typebox/value'
import { ceilingMessage, ceilingOf } from '../../api/values/amount-ceiling.ts'
import { countryProblem } from '../../api/values/country.ts'
import { isCurrency } from '../../api/values/currency.ts'
import { isJsonObject } from '../../api/values/json-object.ts'
import { escapePointerStep } from '../../api/values/json-pointer.ts'
import { errorCodes, isErrorCode, retriableCodes } from '../../connectors/contract/error-codes.ts'
import { bounds, type Condition, kindOf, operatorsOf, valueShape, vocabularyOf } from './condition.schema.ts'
import { wallClock } from './time-zone.ts'

/** Problems by JSON pointer. */
export type Problems = Record<string, string>

interface ConditionPosition {
  pointer: string
  depth: number
  /** A group around it has a condition on the currency. */
  hasCurrencyCondition: boolean
}

/**
 * The problems of a condition, down to the leaf. Empty: it is a `Condition`, and evaluating it takes bounded
 * time.
 */
export function conditionProblems(condition: unknown, pointer: string): Problems {
  const problems = problemsAt(condition, { pointer, depth: 1, hasCurrencyCondition: false })
  // a condition that is too deep was not read to its end, so its leaves are not counted
  if (Object.keys(problems).length === 0 && countLeaves(condition) > bounds.leaves)
    return { [pointer]: `may ask ${bounds.leaves} questions at most` }
  return problems
}

export const isCondition = (condition: unknown): condition is Condition =>
  Object.keys(conditionProblems(condition, '')).length === 0

type Members = Readonly<Record<string, unknown>>

const groups = ['all', 'any', 'not']

function problemsAt(condition: unknown, position: ConditionPosition): Problems {
  const { pointer, depth } = position
  if (!isJsonObject(condition))
    return { [pointer]: 'must be a condition: { all }, { any }, { not } or { field, operator, value }' }
  if (depth > bounds.depth) return { [pointer]: `is nested deeper than ${bounds.depth}` }
  const names = Object.keys(condition)
  const [group] = groups.filter((name) => names.includes(name))
  if (!group) return leafProblems(condition, position)
  if (names.length > 1) return { [pointer]: `must have nothing beside ${group}` }
  if (group === 'not') return problemsAt(condition['not'], within(position, 'not'))
  const parts = condition[group]
  if (!Array.isArray(parts)) return { [`${pointer}/${group}`]: 'must be a list of conditions' }
  if (parts.length > bounds.leaves)
    return { [`${pointer}/${group}`]: `may have ${bounds.leaves} conditions at most` }
  if (group === 'any' && parts.length === 0)
    return { [`${pointer}/any`]: 'must have a condition: of none, none is true' }
  const around = {
    ...position,
    hasCurrencyCondition:
      position.hasCurrencyCondition || (group === 'all' && parts.some(isCurrencyCondition)),
  }
  return Object.assign(
    {},
    ...parts.map((part, index) => problemsAt(part, within(around, `${group}/${index}`))),
  )
}

const within = (position: ConditionPosition, step: string): ConditionPosition => ({
  ...position,
  pointer: `${position.pointer}/${step}`,
  depth: position.depth + 1,
})

const isCurrencyCondition = (condition: unknown): boolean =>
  isJsonObject(condition) &&
  condition['field'] === 'currency' &&
  (condition['operator'] === 'is' || condition['operator'] === 'in')

function leafProblems(leaf: Members, { pointer, hasCurrencyCondition }: ConditionPosition): Problems {
  const { field, operator, value, currency, ...others } = leaf
  const [other] = Object.keys(others)
  if (other !== undefined)
    return { [`${pointer}/${escapePointerStep(other)}`]: 'is not a member of a condition' }
  const kind = typeof field === 'string' ? kindOf(field) : undefined
  if (typeof field !== 'string' || !kind)
    return { [`${pointer}/field`]: 'must be a field that rules know, or metadata.KEY' }
  const shape = typeof operator === 'string' ? valueShape(kind, operator) : undefined
  if (!shape) return { [`${pointer}/operator`]: `must be one of ${operatorsOf(kind).join(', ')}` }
  if (!Check(shape, value)) return { [`${pointer}/value`]: `must be ${shape.description}` }
  return {
    ...currencyProblems(kind, currency, hasCurrencyCondition, pointer),
    ...(kind === 'amount' && ceilingProblems(value, currency, `${pointer}/value`)),
    ...valueProblems(field, value, `${pointer}/value`),
  }
}

/** Amounts of different currencies do not compare, so an amount needs its currency. */
function currencyProblems(
  kind: string,
  currency: unknown,
  hasCurrencyCondition: boolean,
  pointer: string,
): Problems {
  if (kind !== 'amount')
    return currency === undefined ? {} : { [`${pointer}/currency`]: 'belongs beside an amount only' }
  if (currency === undefined)
    return hasCurrencyCondition
      ? {}
      : {
          [`${pointer}/currency`]:
            'is required, here or as another condition of `all`: amounts of two currencies do not compare',
        }
  return typeof currency === 'string' && isCurrency(currency)
    ? {}
    : { [`${pointer}/currency`]: 'must be a currency of ISO 4217' }
}

/** A limit above the largest amount of its currency would match every payment or none. */
function ceilingProblems(value: unknown, currency: unknown, pointer: string): Problems {
  if (typeof currency !== 'string') return {}
  const limit = ceilingOf(currency)
  const amounts = isJsonObject(value) ? [value['from'], value['to']] : [value]
  return amounts.some((amount) => typeof amount === 'number' && amount > limit)
    ? { [pointer]: ceilingMessage(limit, currency) }
    : {}
}

function valueProblems(field: string, value: unknown, pointer: string): Problems {
  if (Array.isArray(value))
    return Object.assign({}, ...value.map((item, index) => valueProblems(field, item, `${pointer}/${index}`)))
  if (typeof value === 'string') return textProblems(field, value, pointer)
  if (!isJsonObject(value)) return {}
  const { from, to, time_zone: timeZone } = value
  if (typeof timeZone === 'string' && !wallClock(timeZone))
    return { [`${pointer}/time_zone`]: 'must be the name of an IANA time zone' }
  if (typeof timeZone === 'string')
    return from !== undefined && from === to ? { [pointer]: 'must not end when it begins' } : {}
  if (typeof from === 'string' && typeof to === 'string' && from.length !== to.length)
    return { [pointer]: 'must begin and end with as many digits' }
  return (typeof from === 'string' && typeof to === 'string' && from > to) ||
    (typeof from === 'number' && typeof to === 'number' && from > to)
    ? { [pointer]: 'must not end before it begins' }
    : {}
}

function textProblems(field: string, text: string, pointer: string): Problems {
  const vocabulary = vocabularyOf(field)
  if (vocabulary && !Check(vocabulary, text)) return { [pointer]: `is nothing that ${field} can be` }
  if (field === 'currency' && !isCurrency(text)) return { [pointer]: 'must be a currency of ISO 4217' }
  const wrongCountry = (field === 'country' || field === 'issuer_country') && countryProblem(text)
  if (wrongCountry) return { [pointer]: wrongCountry }
  if (field === 'created_at' && Number.isNaN(Date.parse(text)))
    return { [pointer]: 'is no time of the calendar' }
  // after any other refusal no further payment service is tried, so the rules are not evaluated again
  if (field === 'previous_decline' && !(isErrorCode(text) && errorCodes[text].retriable))
    return {
      [pointer]: `must be an error code that another payment service is tried after: ${retriableCodes.join(', ')}`,
    }
  return {}
}

/** The number of leaves. An empty group counts as one, so that their number is limited too. */
function countLeaves(condition: unknown): number {
  if (!isJsonObject(condition)) return 1
  const { all, any, not } = condition
  const parts = [all, any].find(Array.isArray)
  if (parts)
    return Math.max(
      1,
      parts.reduce<number>((sum, part) => sum + countLeaves(part), 0),
    )
  return not === undefined ? 1 : countLeaves(not)
}
