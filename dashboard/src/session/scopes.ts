const wildcards: Record<string, string | undefined> = { read: '*.read', write: '*.write', correct: '*.write' }

/** Whether the scopes of a session cover a wanted one; the same rule as the server's (src/api/auth/scopes.ts). */
export function covers(granted: readonly string[], wanted: string): boolean {
  const wildcard = wildcards[wanted.slice(wanted.lastIndexOf('.') + 1)]
  return granted.includes(wanted) || (wildcard !== undefined && granted.includes(wildcard))
}

/** Whether a page with this scope, or one of these, is open to a person. */
export const mayOpen = (
  may: (scope: string) => boolean,
  scope: string | readonly string[] | undefined,
): boolean => scope === undefined || [scope].flat().some(may)
