/** @import { CardElement, CardOptions, ElementContext, Frame } from './types.ts' */
import { announce, createListeners, openConversation } from './conversation.js'
import { openFrame, placeOf } from './frame-host.js'

/** @param {ElementContext} context @param {CardOptions} [options] @returns {CardElement} */
export function createCard(context, options = {}) {
  const listeners = createListeners()
  const conversation = openConversation(listeners)
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
        title: 'Card',
        receive: conversation.receive,
      })
      frame = opened
      if (style) opened.send({ kind: 'style', style })
      forget = context.onSession((session) => opened.send({ kind: 'session', session }))
      announce(opened, listeners)
    },
    unmount() {
      forget?.()
      frame?.remove()
      conversation.close()
      frame = undefined
    },
    on: listeners.on,
    submit: () => conversation.submit(frame),
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
