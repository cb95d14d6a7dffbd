/**
 * Whether a JSON text names a member of one object twice, on any level; `parsed` is what the text says. Programs differ in which of two values they believe. A parser keeps one of
 * two members with one name, however it is spelled, so the text has more members than its value then. In time proportional to the text.
 */
export const hasDuplicateMembers = (json: string, parsed: unknown): boolean => membersOfText(json) > membersOfValue(parsed)

const [QUOTE, COLON, BACKSLASH] = [0x22, 0x3a, 0x5c]

/** Each member has one colon, and strings are passed over. */
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
  for (let character = json.charCodeAt(at); at < json.length && character !== QUOTE; character = json.charCodeAt(at))
    at += character === BACKSLASH ? 2 : 1
  return at
}

/** Not by recursion: what a stranger has nested deeply would overflow the stack. */
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
