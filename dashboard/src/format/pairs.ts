/** Names and values as lines that a person can edit: `name=value`. */
export const linesOfPairs = (pairs: Readonly<Record<string, string>>): string[] =>
  Object.entries(pairs).map(([name, value]) => `${name}=${value}`)

/**
 * What a person has made of the lines of `before`; undefined: a line is not `name=value`. Text that nobody changed
 * is what it was, since a name may have an `=` and a value several lines.
 */
export function readPairs(
  text: string,
  before: Readonly<Record<string, string>>,
): Record<string, string> | undefined {
  if (text === linesOfPairs(before).join('\n')) return before
  const lines = text
    .split('\n')
    .map((line) => line.trim())
    .filter(Boolean)
  const pairs = lines.map((line) => /^([^=]+)=(.*)$/.exec(line))
  if (pairs.some((pair) => pair === null)) return undefined
  return Object.fromEntries(pairs.map((pair) => [(pair?.[1] ?? '').trim(), (pair?.[2] ?? '').trim()]))
}
