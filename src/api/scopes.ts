/** By which wildcard each action is covered. A correction of amounts is a scope of its own, for roles that change nothing else of a payment, or everything. */
const wildcards: Partial<Record<string, string>> = { read: '*.read', write: '*.write', correct: '*.write' }

/**
 * Whether granted scopes cover a wanted one (SEMANTICS §1.3): by name, or by `*.read` and `*.write`. Write does not imply read, and
 * `embed` is covered by itself only.
 */
export function covers(granted: readonly string[], wanted: string): boolean {
  if (granted.includes(wanted)) return true
  const wildcard = wildcards[wanted.slice(wanted.lastIndexOf('.') + 1)]
  return wildcard !== undefined && granted.includes(wildcard)
}

/** `<resource>.read`, `<resource>.write`, `*.read`, `*.write` or `embed`: the form that `railyard token --scopes` accepts. */
export const isScope = (text: string): boolean => text === 'embed' || /^(?:\*|[a-z][a-z.-]*)\.(?:read|write|correct|refresh)$/.test(text)
