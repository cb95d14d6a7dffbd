import type { Changes, Topic } from './changes.ts'

/** Copies of rarely changed rows that the payment path reads (DESIGN §5). Dropped by topic as soon as any process changes one. */
export interface Cache {
  get<T>(topic: Topic, key: string, load: () => Promise<T>): Promise<T>
}

/** Beyond this many copies of one topic all are dropped: keys come from callers, and a caller must not fill the memory. */
const MAX_COPIES = 10_000

export function createCache(changes: Changes): Cache {
  const copies = new Map<Topic, Map<string, Promise<unknown>>>()
  changes.subscribe((topic) => copies.delete(topic))
  return {
    async get<T>(topic: Topic, key: string, load: () => Promise<T>): Promise<T> {
      if (!changes.isReliable) return load()
      let known = copies.get(topic)
      if (!known || known.size >= MAX_COPIES) {
        known = new Map()
        copies.set(topic, known)
      }
      const copy = known.get(key)
      if (copy) return copy as Promise<T>
      // kept in the map of this generation: a load that a change overtakes is dropped with it
      const loading = load()
      known.set(key, loading)
      loading.catch(() => known.delete(key))
      return loading
    },
  }
}
