import type { Leaf } from '@railyard/client'
import { readable } from '../../format/names.ts'
import { routingReasonWords as words } from '../../words/connections/routing-reasons.ts'
import { leafText } from '../routing/describe-rule.ts'

/** A condition that matched, in words: `Country is DE`. An erasure of the buyer removes personal values. */
export function describeCondition(condition: Record<string, unknown>): string {
  const { field, operator, value, not } = condition
  if (typeof field !== 'string' || typeof operator !== 'string') return JSON.stringify(condition)
  if (value === null || value === undefined) return words.erased(readable(field))
  // recorded as the rule had it, which the server has checked
  const text = leafText(condition as unknown as Leaf)
  return not === true ? words.not(text) : text
}
