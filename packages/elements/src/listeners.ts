import type { ElementEvents, Listener } from './messages.ts'

/** The listeners of an element. */
export function createListeners() {
  const lists: { [Name in keyof ElementEvents]?: Set<Listener<Name>> } = {}
  const listOf = <Name extends keyof ElementEvents>(name: Name): Set<Listener<Name>> => {
    const list: Set<Listener<Name>> = lists[name] ?? new Set<Listener<Name>>()
    Object.assign(lists, { [name]: list })
    return list
  }
  return {
    /** Adds a listener; answers a function that removes it. */
    on<Name extends keyof ElementEvents>(name: Name, listener: Listener<Name>): () => void {
      listOf(name).add(listener)
      return () => void listOf(name).delete(listener)
    },
    emit<Name extends keyof ElementEvents>(name: Name, event: ElementEvents[Name]): void {
      for (const listener of [...listOf(name)]) listener(event)
    },
  }
}

export type Listeners = ReturnType<typeof createListeners>
