/**
 * The same text for equal JSON values: members sorted by name, numbers and strings as JavaScript writes them,
 * no blanks. Undefined members are left out.
 */
export function canonicalJson(value: unknown): string {
  if (typeof value !== 'object' || value === null) return JSON.stringify(value) ?? 'null'
  if (Array.isArray(value)) return `[${value.map(canonicalJson).join()}]`
  const members = Object.entries(value).filter(([, member]) => member !== undefined)
  const written = members
    .sort(([a], [b]) => (a < b ? -1 : 1))
    .map(([name, member]) => `${JSON.stringify(name)}:${canonicalJson(member)}`)
  return `{${written.join()}}`
}
