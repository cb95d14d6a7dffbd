/**
 * The first name in `Prefer: resource=<name>` that is among `offered`, else `fallback` (semantics §1.9). The
 * header may be repeated or hold a list; unknown preferences are ignored (RFC 7240 §2).
 */
export function preferredResource<Name extends string>(
  header: string | readonly string[] | null | undefined,
  offered: readonly Name[],
  fallback: Name,
): Name {
  const preferences = [header ?? []].flat().flatMap((value) => value.split(','))
  for (const preference of preferences) {
    const [key = '', value = ''] = (preference.split(';')[0] ?? '').split('=').map((part) => part.trim())
    const name = offered.find((each) => each === value.replace(/^"(.*)"$/, '$1'))
    if (key.toLowerCase() === 'resource' && name) return name
  }
  return fallback
}
