/** @import { ElementEvents, Listener } from '../../../packages/elements/src/messages.ts' */

/** The listeners of an element. */
export function createListeners() {
  /** @type {{ [Name in keyof ElementEvents]?: Set<Listener<Name>> }} */
  const lists = {}

  /** @template {keyof ElementEvents} Name @param {Name} name @returns {Set<Listener<Name>>} */
  const listOf = (name) => {
    /** @type {Set<Listener<Name>>} */
    const list = lists[name] ?? new Set()
    Object.assign(lists, { [name]: list })
    return list
  }

  return {
    /**
     * Adds a listener; answers a function that removes it.
     * @template {keyof ElementEvents} Name
     * @param {Name} name
     * @param {Listener<Name>} listener
     * @returns {() => void}
     */
    on(name, listener) {
      listOf(name).add(listener)
      return () => void listOf(name).delete(listener)
    },
    /**
     * @template {keyof ElementEvents} Name
     * @param {Name} name
     * @param {ElementEvents[Name]} event
     */
    emit(name, event) {
      for (const listener of [...listOf(name)]) listener(event)
    },
  }
}

/** @typedef {ReturnType<typeof createListeners>} Listeners */
