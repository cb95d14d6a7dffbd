import { errorOf, RailyardElementsError } from './error.js'

/**
 * @import { Frame } from './frame.js'
 * @import { Listeners } from './listeners.js'
 * @import { CardChange, CardFieldName, SubmittedCard } from '../../../packages/elements/src/messages.ts'
 */

/** The conversation with the frame that holds a card. @param {Listeners} listeners */
export function holderOf(listeners) {
  /** @type {Map<number, { resolve: (card: SubmittedCard) => void, reject: (error: Error) => void }>} */
  const waiting = new Map()
  let last = 0
  return {
    /** Messages of the frame. @param {Record<string, unknown>} message */
    receive(message) {
      const settled = waiting.get(Number(message['id']))
      if (message['kind'] === 'change') {
        const { complete, brand, last4, fields } = /** @type {CardChange} */ (
          /** @type {unknown} */ (message)
        )
        listeners.emit('change', { complete, brand, last4, fields })
      } else if (message['kind'] === 'focus' || message['kind'] === 'blur')
        listeners.emit(message['kind'], /** @type {CardFieldName} */ (message['field']))
      else if (message['kind'] === 'enter') listeners.emit('submit', undefined)
      else if (settled) {
        waiting.delete(Number(message['id']))
        const { brand, last4 } = /** @type {SubmittedCard} */ (/** @type {unknown} */ (message))
        if (message['kind'] === 'submitted') settled.resolve({ brand, last4 })
        else settled.reject(errorOf(message['code']))
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

/** Tells the listeners when a frame has started, or that it has not. @param {Frame} frame @param {Listeners} listeners */
export function announce(frame, listeners) {
  frame.started.then(
    () => listeners.emit('ready', undefined),
    (error) => {
      if (error instanceof RailyardElementsError && error.code === 'not_ready') listeners.emit('error', error)
    },
  )
}
