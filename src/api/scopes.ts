/**
 * Whether granted scopes cover a wanted one (SEMANTICS §1.3): by name, or by `*.read` and `*.write`. Write does not imply read, and
 * `embed` is covered by itself only.
 */
export function covers(granted: readonly string[], wanted: string): boolean {
  if (granted.includes(wanted)) return true
  const action = wanted.slice(wanted.lastIndexOf('.') + 1)
  return (action === 'read' || action === 'write') && granted.includes(`*.${action}`)
}

/** `<resource>.read`, `<resource>.write`, `*.read`, `*.write` or `embed`: the form that `railyard token --scopes` accepts. */
export const isScope = (text: string): boolean => text === 'embed' || /^(?:\*|[a-z][a-z.-]*)\.(?:read|write|refresh)$/.test(text)
