import fc from 'fast-check'
import { expect, test } from 'vitest'
import { isComplete, toCondition, toDraft } from '../dashboard/src/pages/routing/condition-draft.ts'
import { compileCondition } from '../src/routing/conditions/condition.ts'
import { conditionProblems, isCondition } from '../src/routing/conditions/condition-problems.ts'
import { anyCondition, anyFacts } from '../src/routing/conditions/conditions.fixture.ts'

test('a condition that the dashboard opens and saves decides as before', () => {
  fc.assert(
    fc.property(anyCondition, anyFacts, (condition, facts) => {
      const draft = toDraft(condition)
      expect(isComplete(draft)).toBe(true)
      // as the server reads it
      const saved: unknown = JSON.parse(JSON.stringify(toCondition(draft).condition))
      expect(conditionProblems(saved, '')).toEqual({})
      if (!isCondition(saved)) return
      expect(compileCondition(saved).holds(facts)).toBe(compileCondition(condition).holds(facts))
    }),
    { numRuns: 1_500 },
  )
})
