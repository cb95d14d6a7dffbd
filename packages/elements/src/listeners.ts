/** The listeners of an element; `Events`: its events and what their listeners get. */
export function createListeners<Events>() {
  const lists: { [Name in keyof Events]?: Set<(event: Events[Name]) => void> } = {}
  const listOf = <Name extends keyof Events>(name: Name): Set<(event: Events[Name]) => void> => {
    const list = lists[name] ?? new Set<(event: Events[Name]) => void>()
    Object.assign(lists, { [name]: list })
    return list
  }
  return {
    /** Adds a listener; answers a function that removes it. */
    on<Name extends keyof Events>(name: Name, listener: (event: Events[Name]) => void): () => void {
      listOf(name).add(listener)
      return () => void listOf(name).delete(listener)
    },
    emit<Name extends keyof Events>(name: Name, event: Events[Name]): void {
      for (const listener of [...listOf(name)]) listener(event)
    },
  }
}

export interface Listeners<Events> {
  emit<Name extends keyof Events>(name: Name, event: Events[Name]): void
}
