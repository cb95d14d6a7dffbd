/** @import { ProviderToken } from '../providers/types.ts' */
/** @import { AddListener, ElementEvents, Frame, Listeners, SubmittedCard } from './types.ts' */
import { errorOf, RailyardElementsError } from './error.js'

/** The listeners of an element. @template Events @returns {Listeners<Events>} */
export function createListeners() {
  /** @type {Map<PropertyKey, Set<(event: never) => void>>} */
  const lists = new Map()
  /** @param {PropertyKey} name */
  const listOf = (name) => {
    const list = lists.get(name) ?? new Set()
    lists.set(name, list)
    return list
  }
  /** @type {AddListener<Events>} */
  const on = (name, listener) => {
    listOf(name).add(listener)
    return () => void listOf(name).delete(listener)
  }
  return {
    on,
    emit(name, event) {
      for (const listener of [...listOf(name)]) /** @type {(event: unknown) => void} */ (listener)(event)
    },
  }
}

/**
 * The conversation with the frame that holds a card.
 * @param {Listeners<ElementEvents>} listeners
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
    /**
     * Puts the card that the frame holds into the session; or the token that a provider's script made.
     * @param {Frame | undefined} frame
     * @param {ProviderToken} [token]
     * @returns {Promise<SubmittedCard>}
     */
    async submit(frame, token) {
      if (!frame) throw new RailyardElementsError('unmounted')
      await frame.started
      const id = ++last
      return new Promise((resolve, reject) => {
        waiting.set(id, { resolve, reject })
        frame.send(token ? { ...token, kind: 'token', id } : { kind: 'submit', id })
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
 * Tells the listeners when an element has started, or that it has not.
 * @param {Promise<unknown>} started
 * @param {Listeners<ElementEvents>} listeners
 */
export function announce(started, listeners) {
  started.then(
    () => listeners.emit('ready', undefined),
    () => undefined,
  )
  announceFailure(started, listeners)
}

/**
 * Tells the listeners if an element does not start.
 * @param {Promise<unknown>} started
 * @param {Pick<Listeners<{ error: RailyardElementsError }>, 'emit'>} listeners
 */
export const announceFailure = (started, listeners) =>
  void started.catch((error) => {
    if (error instanceof RailyardElementsError && error.code !== 'unmounted') listeners.emit('error', error)
  })
