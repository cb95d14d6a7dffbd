import fc from 'fast-check'
import { expect, test } from 'vitest'
import type { Facts } from '../facts.ts'
import { bounds, type Condition, type Leaf } from './condition.schema.ts'
import { compileCondition } from './condition.ts'
import { conditionProblems } from './condition-problems.ts'
import { anyCondition, anyFacts } from './conditions.fixture.ts'

test('evaluates every accepted condition like a plain interpretation, on any facts', () => {
  fc.assert(
    fc.property(anyCondition, anyFacts, (condition, facts) => {
      expect(compileCondition(condition).holds(facts)).toBe(read(condition, facts) === 1)
    }),
    { numRuns: 1_500 },
  )
})

test('every leaf that an explanation shows is true of the payment, and together they suffice for the rule to match', () => {
  fc.assert(
    fc.property(anyCondition, anyFacts, (condition, facts) => {
      const compiled = compileCondition(condition)
      const outcome = compiled.holds(facts)
      const because = compiled.matchedLeaves(facts, outcome)
      const told = new Map(
        because.map(({ field, operator, value, currency, not }) => [
          keyOf({ field, operator, value, currency }),
          !not,
        ]),
      )
      for (const [leaf, holds] of told) expect(read(JSON.parse(leaf), facts) === 1).toBe(holds)
      // every leaf that is not shown counts as unknown
      expect(read(condition, facts, (leaf) => told.has(keyOf(leaf)))).toBe(outcome ? 1 : 0)
    }),
    { numRuns: 1_500 },
  )
})

test('accepts any input as a condition or returns its problems', () => {
  const junk = fc.anything({
    maxDepth: 12,
    key: fc.constantFrom('all', 'any', 'not', 'field', 'operator', 'value', '__proto__', 'currency'),
  })
  fc.assert(
    fc.property(junk, anyFacts, (condition, facts) => {
      const problems = conditionProblems(condition, '/condition')
      for (const pointer of Object.keys(problems)) expect(pointer).toMatch(/^\/condition/)
      if (isAccepted(condition)) compileCondition(condition).holds(facts)
      else expect(Object.keys(problems).length).toBeGreaterThan(0)
    }),
    { numRuns: 1_500 },
  )
})

test('accepts or refuses a condition of any size without running out of memory', () => {
  const deep = (levels: number): unknown => (levels === 0 ? { all: [] } : { not: deep(levels - 1) })
  expect(conditionProblems(deep(bounds.depth - 1), '')).toEqual({})
  expect(Object.values(conditionProblems(deep(bounds.depth), ''))).toEqual(['is nested deeper than 8'])
  let abyss: unknown = { all: [] }
  for (let level = 0; level < 200_000; level += 1) abyss = { all: [abyss] }
  expect(Object.values(conditionProblems(abyss, ''))).toEqual(['is nested deeper than 8'])
  const leaf = { field: 'scheme', operator: 'is', value: 'visa' }
  const wide = (leaves: number) => ({
    any: [{ all: Array.from({ length: leaves - 1 }, () => leaf) }, { all: [] }],
  })
  expect(conditionProblems(wide(bounds.leaves), '')).toEqual({})
  expect(conditionProblems(wide(bounds.leaves + 1), '/c')).toEqual({ '/c': 'may ask 64 questions at most' })
})

const isAccepted = (condition: unknown): condition is Condition =>
  Object.keys(conditionProblems(condition, '')).length === 0

const keyOf = ({
  field,
  operator,
  value,
  currency,
}: {
  field: string
  operator: string
  value: unknown
  currency?: string | undefined
}) => JSON.stringify({ field, operator, value, ...(currency && { currency }) })

/**
 * An interpretation that follows docs/guides/routing.md, with numbers for truth: 1 true, 0 false, one half
 * unknown.
 */
function read(condition: Condition, facts: Facts, isKnown: (leaf: Leaf) => boolean = () => true): number {
  if ('not' in condition) return 1 - read(condition.not, facts, isKnown)
  if ('all' in condition) return Math.min(1, ...condition.all.map((part) => read(part, facts, isKnown)))
  if ('any' in condition) return Math.max(0, ...condition.any.map((part) => read(part, facts, isKnown)))
  return isKnown(condition) ? Number(answer(condition, facts)) : 0.5
}

function factOf(field: string, facts: Facts): unknown {
  const name = /^metadata\.([\s\S]+)$/u.exec(field)?.[1]
  if (name !== undefined)
    return Object.entries(facts.metadata ?? {}).find(([key]) => key === name)?.[1] ?? null
  return Object.entries(facts).find(([key]) => key === field)?.[1] ?? null
}

function answer(leaf: Leaf, facts: Facts): boolean {
  const fact = factOf(leaf.field, facts)
  if (leaf.operator === 'is_null') return (fact === null) === leaf.value
  if (leaf.field === 'time_of_day' || leaf.field === 'weekday')
    return answerOfClock(leaf, new Date(facts.created_at))
  if (fact === null) return false
  if (leaf.field === 'created_at') {
    const later = new Date(facts.created_at).getTime() - new Date(leaf.value).getTime()
    return leaf.operator === 'before' ? later < 0 : later > 0
  }
  if (leaf.field === 'amount') {
    if (leaf.currency && leaf.currency !== facts.currency) return false
    const [least, most] =
      leaf.operator === 'between' ? [leaf.value.from, leaf.value.to] : boundsOf(leaf.operator, leaf.value)
    return Number(fact) >= least && Number(fact) <= most
  }
  const text = String(fact)
  if (leaf.operator === 'is') return fact === leaf.value
  if (leaf.operator === 'in') return leaf.value.some((each) => each === text)
  if (leaf.operator === 'contains') return text.split(leaf.value).length > 1
  if (leaf.operator === 'starts_with') return leaf.value.some((prefix) => text.startsWith(prefix))
  return leaf.value.some(({ from, to }) => {
    const digits = Number.parseInt(text.padEnd(8, 'x').slice(0, from.length), 10)
    return text.length >= from.length && digits >= Number(from) && digits <= Number(to)
  })
}

function boundsOf(operator: 'eq' | 'gt' | 'gte' | 'lt' | 'lte', value: number): [number, number] {
  const least = { eq: value, gte: value, gt: value + 1, lt: 0, lte: 0 }[operator]
  return [least, { eq: value, lte: value, lt: value - 1, gt: Infinity, gte: Infinity }[operator]]
}

function answerOfClock(leaf: Extract<Leaf, { field: 'time_of_day' | 'weekday' }>, at: Date): boolean {
  if (Number.isNaN(at.getTime())) return false
  const timeZone = leaf.value.time_zone
  if (leaf.field === 'weekday') {
    const day = at.toLocaleDateString('en-GB', { timeZone, weekday: 'long' }).toLowerCase()
    return leaf.value.days.some((each) => each === day)
  }
  const now = at.toLocaleTimeString('en-GB', {
    timeZone,
    hour: '2-digit',
    minute: '2-digit',
    hourCycle: 'h23',
  })
  const { from, to } = leaf.value
  if (from < to) return from <= now && now < to
  return !(to <= now && now < from)
}
