/** @import { AddListener, ElementEvents, Frame, SubmittedCard } from './types.ts' */
import { errorOf, RailyardElementsError } from './error.js'

/** The listeners of an element. */
export function createListeners() {
  /** @type {Map<string, Set<(event: never) => void>>} */
  const lists = new Map()
  /** @param {string} name */
  const listOf = (name) => {
    const list = lists.get(name) ?? new Set()
    lists.set(name, list)
    return list
  }
  /** @type {AddListener} */
  const on = (name, listener) => {
    listOf(name).add(listener)
    return () => void listOf(name).delete(listener)
  }
  return {
    on,
    /** @template {keyof ElementEvents} Name @param {Name} name @param {ElementEvents[Name]} event */
    emit(name, event) {
      for (const listener of [...listOf(name)]) /** @type {(event: unknown) => void} */ (listener)(event)
    },
  }
}

/**
 * The conversation with the frame that holds a card.
 * @param {ReturnType<typeof createListeners>} listeners
 */
export function openConversation(listeners) {
  /** @type {Map<number, { resolve: (card: SubmittedCard) => void, reject: (error: Error) => void }>} */
  const waiting = new Map()
  let last = 0
  return {
    /** Messages of the frame. @param {Record<string, any>} message */
    receive({ kind, id, complete, brand, last4, fields, field, code }) {
      const settled = waiting.get(Number(id))
      if (kind === 'change') listeners.emit('change', { complete, brand, last4, fields })
      else if (kind === 'focus' || kind === 'blur') listeners.emit(kind, field)
      else if (kind === 'enter') listeners.emit('submit', undefined)
      else if (settled) {
        waiting.delete(Number(id))
        if (kind === 'submitted') settled.resolve({ brand, last4 })
        else settled.reject(errorOf(code))
      }
    },
    /** @param {Frame | undefined} frame @returns {Promise<SubmittedCard>} */
    async submit(frame) {
      if (!frame) throw new RailyardElementsError('unmounted')
      await frame.started
      const id = ++last
      return new Promise((resolve, reject) => {
        waiting.set(id, { resolve, reject })
        frame.send({ kind: 'submit', id })
      })
    },
    /** Ends what waits for a frame that is removed. */
    close() {
      for (const { reject } of waiting.values()) reject(new RailyardElementsError('unmounted'))
      waiting.clear()
    },
  }
}

/**
 * Tells the listeners when a frame has started, or that it has not.
 * @param {Frame} frame
 * @param {ReturnType<typeof createListeners>} listeners
 */
export function announce({ started }, listeners) {
  started.then(
    () => listeners.emit('ready', undefined),
    (error) => {
      if (error instanceof RailyardElementsError && error.code === 'not_ready') listeners.emit('error', error)
    },
  )
}
