/** @import { ProviderFields } from '../providers/types.ts' */
/** @import { CardElement, CardOptions, ElementContext, ElementEvents, Frame, Listeners } from './types.ts' */
import { announce, createListeners, openConversation } from './conversation.js'
import { errorOf, RailyardElementsError } from './error.js'
import { openFrame, placeOf } from './frame-host.js'
import { showProvider } from './provider-fields.js'

/** @param {ElementContext} context @param {CardOptions} [options] @returns {CardElement} */
export function createCard(context, options = {}) {
  /** @type {Listeners<ElementEvents>} */
  const listeners = createListeners()
  const conversation = openConversation(listeners)
  let { style } = options
  /** @type {Frame | undefined} */
  let frame
  /** @type {(() => void) | undefined} */
  let forget
  /** The fields of a provider, if the page shows those. @type {Promise<ProviderFields | undefined>} */
  let shown = Promise.resolve(undefined)

  /** Does nothing if the frame shows its own fields, or there are none. @param {(fields: ProviderFields) => void} change */
  const withProvider = (change) => {
    shown.then(
      (fields) => fields && change(fields),
      () => undefined,
    )
  }

  /** @type {CardElement} */
  const element = {
    mount(target) {
      element.unmount()
      const place = placeOf(target)
      const opened = openFrame(place, {
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
      shown = opened.started.then(async ({ provider }) => {
        if (!provider) return undefined
        // the frame has nothing to show: it puts the provider's tokens into the session
        opened.element.hidden = true
        const { locale, postalCode = false } = options
        const { emit } = listeners
        const fields = await showProvider(context.base, {
          place,
          provider,
          style: style ?? {},
          locale,
          postalCode,
          emit,
        })
        if (frame === opened) return fields
        // the element was removed while the provider's script was loading
        fields.remove()
        throw new RailyardElementsError('unmounted')
      })
      announce(shown, listeners)
    },
    unmount() {
      forget?.()
      withProvider((fields) => fields.remove())
      shown = Promise.resolve(undefined)
      frame?.remove()
      conversation.close()
      frame = undefined
    },
    on: listeners.on,
    async submit() {
      const submitted = frame
      const token = await (await shown)?.createToken()
      if (token && 'code' in token) throw errorOf(token.code)
      // an element that was removed meanwhile gets no answer
      return conversation.submit(frame === submitted ? submitted : undefined, token)
    },
    update(changed) {
      style = { ...style, ...changed.style }
      frame?.send({ kind: 'style', style })
      withProvider((fields) => fields.setStyle(style ?? {}))
    },
    clear() {
      frame?.send({ kind: 'clear' })
      withProvider((fields) => fields.clear())
    },
    focus(field) {
      frame?.element.focus()
      frame?.send({ kind: 'focus', field })
      withProvider((fields) => fields.focus())
    },
  }
  return element
}
