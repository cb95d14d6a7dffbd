import type { Facts } from '../facts.ts'
import type { Condition, Leaf } from './condition.schema.ts'
import { leafTest } from './leaf.ts'

/**
 * A leaf of a rule and the payment's value, as the explanation of a decision shows them. Every leaf that is
 * shown is true.
 */
export interface MatchedLeaf {
  field: string
  operator: string
  /** The value that the rule compares with. */
  value: unknown
  /** For an amount: the currency that the rule means. */
  currency?: string
  /** The payment's value; null if unknown. */
  actual: string | number | boolean | null
  /** For an amount with a currency: the payment's currency. */
  actual_currency?: string | null
  /** The rule requires that the leaf does not hold. */
  not?: true
}

/** A compiled condition. It never throws. */
export interface CompiledCondition {
  holds(facts: Facts): boolean
  /** The leaves that suffice for this result; `outcome` is the value of `holds` for these facts. */
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
  const shown = { field, operator, value, ...(currency && { currency }) }
  return {
    holds,
    matchedLeaves: (facts, outcome) => [
      {
        ...shown,
        actual: actual(facts),
        ...(currency && { actual_currency: facts.currency }),
        ...(!outcome && { not: true }),
      },
    ],
  }
}
