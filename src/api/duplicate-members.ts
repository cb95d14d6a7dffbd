const tokens = /"(?:[^"\\]|\\.)*"|[{}[\],:]/g

/** Whether a JSON text names a member of one object twice, on any level. Throws where the text is no JSON. */
export function hasDuplicateMembers(json: string): boolean {
  const open: Set<unknown>[] = []
  let last = ''
  for (const [token] of json.matchAll(tokens)) {
    if (token === '{' || token === '[') open.push(new Set())
    if (token === '}' || token === ']') open.pop()
    if (token === ':') {
      const members = open.at(-1)
      // parsed, because a name can be spelled with escapes
      const name = JSON.parse(last)
      if (members?.has(name)) return true
      members?.add(name)
    }
    last = token
  }
  return false
}
