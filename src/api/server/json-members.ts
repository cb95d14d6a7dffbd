/**
 * Whether an object of a JSON text names a member twice, on any level; `parsed` is the parsed text. Programs
 * differ in which of the two values they take. A parser keeps one of two members with the same name, however
 * the name is escaped, so the text then has more members than its value. Takes time proportional to the text.
 */
export const hasDuplicateMembers = (json: string, parsed: unknown): boolean =>
  membersOfText(json) > membersOfValue(parsed)

const [QUOTE, COLON, BACKSLASH] = [0x22, 0x3a, 0x5c]

/** Counts the colons outside of strings: each member has one. */
function membersOfText(json: string): number {
  let members = 0
  for (let at = 0; at < json.length; at++) {
    const character = json.charCodeAt(at)
    if (character === COLON) members++
    else if (character === QUOTE) at = endOfString(json, at)
  }
  return members
}

function endOfString(json: string, begin: number): number {
  let at = begin + 1
  for (
    let character = json.charCodeAt(at);
    at < json.length && character !== QUOTE;
    character = json.charCodeAt(at)
  )
    at += character === BACKSLASH ? 2 : 1
  return at
}

/** Without recursion: a deeply nested value would overflow the stack. */
function membersOfValue(value: unknown): number {
  const open: object[] = []
  const add = (each: unknown) => {
    if (typeof each === 'object' && each !== null) open.push(each)
  }
  let members = 0
  add(value)
  for (let next = open.pop(); next; next = open.pop()) {
    const values: unknown[] = Array.isArray(next) ? next : Object.values(next)
    if (!Array.isArray(next)) members += values.length
    values.forEach(add)
  }
  return members
}
