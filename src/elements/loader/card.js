import { openFrame, placeOf } from './frame.js'
import { announce, holderOf } from './holder.js'
import { createListeners } from './listeners.js'

/**
 * @import { CardElement, CardOptions } from '../../../packages/elements/src/card.ts'
 * @import { Frame } from './frame.js'
 *
 * Where frames come from, and the session that gets the card.
 * @typedef {object} ElementContext
 * @property {string} base
 * @property {() => string} session
 * @property {(listener: (session: string) => void) => () => void} onSession Called when the session changes;
 *   answers a function that removes the listener.
 */

/** @param {ElementContext} context @param {CardOptions} [options] @returns {CardElement} */
export function createCard(context, options = {}) {
  const listeners = createListeners()
  const holder = holderOf(listeners)
  let { style } = options
  /** @type {Frame | undefined} */
  let frame
  /** @type {(() => void) | undefined} */
  let forget

  /** @type {CardElement} */
  const element = {
    mount(place) {
      element.unmount()
      const opened = openFrame(placeOf(place), {
        base: context.base,
        session: context.session(),
        parameters: {
          view: 'card',
          fields: `number,expiry,code${options.postalCode ? ',postalCode' : ''}`,
          ...(options.locale && { locale: options.locale }),
        },
        title: options.title ?? 'Card',
        receive: holder.receive,
      })
      frame = opened
      if (style) opened.send({ kind: 'style', style })
      forget = context.onSession((session) => opened.send({ kind: 'session', session }))
      announce(opened, listeners)
    },
    unmount() {
      forget?.()
      frame?.remove()
      holder.close()
      frame = undefined
    },
    on: listeners.on,
    submit: () => holder.submit(frame),
    update(changed) {
      style = { ...style, ...changed.style }
      frame?.send({ kind: 'style', style })
    },
    clear: () => frame?.send({ kind: 'clear' }),
    focus(field) {
      frame?.element.focus()
      frame?.send({ kind: 'focus', field })
    },
  }
  return element
}
