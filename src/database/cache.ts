import type { Changes, Topic } from './changes.ts'

/**
 * Copies of rows that change rarely and that every payment reads. All copies of a topic are dropped as soon
 * as any process changes a row of it.
 */
export interface Cache {
  get<T>(topic: Topic, key: string, load: () => Promise<T>): Promise<T>
}

/**
 * At this many copies of a topic all are dropped: keys come from clients, which must not be able to fill the
 * memory.
 */
const MAX_COPIES = 10_000

export function createCache(changes: Changes): Cache {
  const copies = new Map<Topic, Map<string, Promise<unknown>>>()
  changes.subscribe((topic) => copies.delete(topic))
  return {
    async get<T>(topic: Topic, key: string, load: () => Promise<T>): Promise<T> {
      if (!changes.isReliable) return load()
      let copiesOfTopic = copies.get(topic)
      if (!copiesOfTopic || copiesOfTopic.size >= MAX_COPIES) {
        copiesOfTopic = new Map()
        copies.set(topic, copiesOfTopic)
      }
      const copy = copiesOfTopic.get(key)
      if (copy) return copy as Promise<T>
      // stored in this map: a change that comes during the load drops the map, and the copy with it
      const loading = load()
      copiesOfTopic.set(key, loading)
      loading.catch(() => copiesOfTopic.delete(key))
      return loading
    },
  }
}
