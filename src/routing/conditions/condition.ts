import type { Facts } from '../facts.ts'
import type { Condition, Leaf } from './condition.schema.ts'
import { leafTest } from './leaf.ts'

/** A question of a rule with the payment's answer to it, as an explanation tells it. All that are told are true. */
export interface MatchedLeaf {
  field: string
  operator: string
  /** What the rule compares with. */
  value: unknown
  /** Of an amount: the currency that the rule means. */
  currency?: string
  /** What the payment has; null: not known. */
  actual: string | number | boolean | null
  /** Of an amount whose currency the rule means: that of the payment. */
  actual_currency?: string | null
  /** The rule asks that this is not so. */
  not?: true
}

/** A condition, ready to be asked many times. Never throws. */
export interface CompiledCondition {
  holds(facts: Facts): boolean
  /** The leaves that alone make the condition what it is for these facts; `outcome` is what `holds` says of them. */
  matchedLeaves(facts: Facts, outcome: boolean): MatchedLeaf[]
}

/** Compiles a condition that has no problems (`conditionProblems`) into closures. */
export function compileCondition(condition: Condition): CompiledCondition {
  if ('all' in condition) return every(condition.all.map(compileCondition))
  if ('any' in condition) return some(condition.any.map(compileCondition))
  if ('not' in condition) return inverse(compileCondition(condition.not))
  return compileLeaf(condition)
}

// plain loops: with callbacks a decision takes half as long again
function every(tests: readonly CompiledCondition[]): CompiledCondition {
  return {
    holds(facts) {
      for (const test of tests) if (!test.holds(facts)) return false
      return true
    },
    matchedLeaves(facts, outcome) {
      if (outcome) return tests.flatMap((test) => test.matchedLeaves(facts, true))
      return tests.find((test) => !test.holds(facts))?.matchedLeaves(facts, false) ?? []
    },
  }
}

function some(tests: readonly CompiledCondition[]): CompiledCondition {
  return {
    holds(facts) {
      for (const test of tests) if (test.holds(facts)) return true
      return false
    },
    matchedLeaves(facts, outcome) {
      if (!outcome) return tests.flatMap((test) => test.matchedLeaves(facts, false))
      return tests.find((test) => test.holds(facts))?.matchedLeaves(facts, true) ?? []
    },
  }
}

const inverse = (test: CompiledCondition): CompiledCondition => ({
  holds: (facts) => !test.holds(facts),
  matchedLeaves: (facts, outcome) => test.matchedLeaves(facts, !outcome),
})

function compileLeaf(leaf: Leaf): CompiledCondition {
  const { holds, actual } = leafTest(leaf)
  const { field, operator, value, currency } = leaf
  const told = { field, operator, value, ...(currency && { currency }) }
  return {
    holds,
    matchedLeaves: (facts, outcome) => [
      { ...told, actual: actual(facts), ...(currency && { actual_currency: facts.currency }), ...(!outcome && { not: true }) },
    ],
  }
}
