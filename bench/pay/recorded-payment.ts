import type { Ids } from '../../src/base/ids.ts'
import type { Recording } from './record.process.ts'

const uuid = /[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[0-9a-f]{4}-[0-9a-f]{12}/g

/**
 * The recorded values with every id replaced by a fresh one of the same order, split beforehand so that
 * filling them in costs little.
 */
export function fillIn({ statements }: Recording, ids: Ids) {
  const known = new Set<string>()
  for (const { values } of statements)
    for (const value of values)
      if (typeof value === 'string') for (const [id] of value.matchAll(uuid)) known.add(id)
  const order = [...known].sort()
  const cut = (value: unknown) =>
    typeof value === 'string'
      ? { texts: value.split(uuid), ids: [...value.matchAll(uuid)].map(([id]) => order.indexOf(id)) }
      : value
  const parts = statements.map(({ text, values }) => ({ text, values: values.map(cut) }))
  return () => {
    const fresh = order.map(() => ids.next())
    const fill = (value: unknown) => {
      if (typeof value !== 'object' || value === null || !('texts' in value)) return value
      const { texts, ids: places } = value as { texts: string[]; ids: number[] }
      return texts.map((text, index) => (index === 0 ? text : fresh[places[index - 1] ?? 0] + text)).join('')
    }
    return parts.map(({ text, values }) => ({ text, values: values.map(fill) }))
  }
}
