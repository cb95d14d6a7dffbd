import type { Filter } from '../parts/lists/filters.tsx'

/** The query of a list, from the address. */
export function filterQuery(
  params: URLSearchParams,
  filters: readonly Pick<Filter, 'name' | 'type'>[],
): Record<string, string> {
  const query: Record<string, string> = {}
  for (const { name, type } of filters) {
    const value = params.get(name)
    if (!value) continue
    if (type === 'datetime-local') {
      const time = new Date(value)
      if (!Number.isNaN(time.getTime())) query[name] = time.toISOString()
    } else query[name] = value
  }
  return query
}
