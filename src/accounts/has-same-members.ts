/**
 * Whether two lists of ids have the same members, in any order. Ids of roles and merchant accounts hold no
 * blanks.
 */
export const hasSameMembers = (one: readonly string[], other: readonly string[]): boolean =>
  one.toSorted().join(' ') === other.toSorted().join(' ')
