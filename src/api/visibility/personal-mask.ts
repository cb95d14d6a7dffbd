import { PERSONAL, type PersonalMark } from '../schema.ts'

/** A copy of a value in which what tells of a person is taken out; what tells nothing of one is the same value. */
export type Mask = (value: unknown) => unknown

/** What stands for a text that may not be null. */
export const HIDDEN = '***'

/** Masks of shapes, by their titles, whose schema alone does not say where they tell of a person: open objects. */
export type SpecialMasks = Readonly<Record<string, Mask>>

interface Shape {
  title?: unknown
  type?: unknown
  properties?: Readonly<Record<string, object>>
  additionalProperties?: unknown
  items?: unknown
  anyOf?: readonly object[]
  [PERSONAL]?: unknown
}

/**
 * What takes out of values of a schema the members that it marks with one of `marks`; undefined: it marks none. A member becomes null, or where it may not be null a text `***`,
 * an empty list or object.
 */
export function maskOf(schema: object, marks: readonly PersonalMark[], special: SpecialMasks = {}): Mask | undefined {
  const { [PERSONAL]: mark, title, properties = {}, additionalProperties, items, anyOf = [] }: Shape = schema
  if (marks.some((each) => each === mark)) return isNullable(schema) ? toNull : toNothing
  const ofTitle = typeof title === 'string' ? special[title] : undefined
  if (ofTitle) return ofTitle
  const maskOfPart = (part: unknown) => (typeof part === 'object' && part !== null ? maskOf(part, marks, special) : undefined)
  const members = new Map(Object.entries(properties).map(([name, member]) => [name, maskOfPart(member)]))
  const other = maskOfPart(additionalProperties)
  const item = maskOfPart(items)
  // a member that one of several shapes marks is taken out of all of them
  const branches = anyOf.flatMap((branch) => maskOfPart(branch) ?? [])
  const ofObject = other || [...members.values()].some(Boolean) ? (name: string) => (members.has(name) ? members.get(name) : other) : undefined
  if (!ofObject && !item && branches.length === 0) return undefined
  return (value) => {
    if (Array.isArray(value)) return applied(branches, item ? value.map(item) : value)
    if (value === null || typeof value !== 'object') return value
    return applied(branches, ofObject ? masked(value, ofObject) : value)
  }
}

const applied = (masks: readonly Mask[], value: unknown) => masks.reduce((masked, mask) => mask(masked), value)

const masked = (value: object, maskOfMember: (name: string) => Mask | undefined) =>
  Object.fromEntries(Object.entries(value).map(([name, member]) => [name, (maskOfMember(name) ?? unchanged)(member)]))

export const unchanged: Mask = (value) => value

const toNull: Mask = (value) => (value === undefined ? undefined : null)

const toNothing: Mask = (value) => {
  if (value === null || value === undefined) return value
  if (Array.isArray(value)) return []
  return typeof value === 'object' ? {} : HIDDEN
}

function isNullable({ type, anyOf = [] }: Shape): boolean {
  if (Array.isArray(type)) return type.includes('null')
  return anyOf.some((branch) => 'type' in branch && branch.type === 'null')
}
