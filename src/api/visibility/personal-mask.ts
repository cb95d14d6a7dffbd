import { PERSONAL, type PersonalMark } from '../schema.ts'

/** Returns a copy of a value without personal data; a part without any is the same value. */
export type Mask = (value: unknown) => unknown

/** Takes the place of a text that may not be null. */
export const HIDDEN = '***'

/** Masks of open objects, by the title of their schema, which does not say where personal data are. */
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
 * A mask that removes the members that the schema marks with one of `marks`; undefined: it marks none. A
 * member becomes null; one that may not be null becomes `***`, an empty list or an empty object.
 */
export function maskOf(
  schema: object,
  marks: readonly PersonalMark[],
  special: SpecialMasks = {},
): Mask | undefined {
  const { [PERSONAL]: mark, title, properties = {}, additionalProperties, items, anyOf = [] }: Shape = schema
  if (marks.some((each) => each === mark)) return isNullable(schema) ? toNull : toNothing
  const specialMask = typeof title === 'string' ? special[title] : undefined
  if (specialMask) return specialMask
  const maskOfPart = (part: unknown) =>
    typeof part === 'object' && part !== null ? maskOf(part, marks, special) : undefined
  const members = new Map(Object.entries(properties).map(([name, member]) => [name, maskOfPart(member)]))
  const otherMask = maskOfPart(additionalProperties)
  const itemMask = maskOfPart(items)
  // a member that one of several shapes marks is removed from all of them
  const branches = anyOf.flatMap((branch) => maskOfPart(branch) ?? [])
  const hasMemberMask = otherMask !== undefined || [...members.values()].some(Boolean)
  const maskOfMember = (name: string) => (members.has(name) ? members.get(name) : otherMask)
  if (!hasMemberMask && !itemMask && branches.length === 0) return undefined
  return (value) => {
    if (Array.isArray(value)) return applyAll(branches, itemMask ? value.map(itemMask) : value)
    if (value === null || typeof value !== 'object') return value
    return applyAll(branches, hasMemberMask ? maskMembers(value, maskOfMember) : value)
  }
}

const applyAll = (masks: readonly Mask[], value: unknown) =>
  masks.reduce((masked, mask) => mask(masked), value)

const maskMembers = (value: object, maskOfMember: (name: string) => Mask | undefined) =>
  Object.fromEntries(
    Object.entries(value).map(([name, member]) => [name, (maskOfMember(name) ?? unchanged)(member)]),
  )

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
