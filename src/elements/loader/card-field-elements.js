/** @import { CardFieldName, CardFields, CardOptions, ElementContext, ElementEvents, FieldElement, Frame, Listeners } from './types.ts' */
import { announce, createListeners, openConversation } from './conversation.js'
import { openFrame, placeOf, randomNonce } from './frame-host.js'

/** @param {ElementContext} context @param {CardOptions} [options] @returns {CardFields} */
export function createCardFields(context, options = {}) {
  /** @type {Listeners<ElementEvents>} */
  const listeners = createListeners()
  const conversation = openConversation(listeners)
  const group = randomNonce()
  const names = `number,expiry,code${options.postalCode ? ',postalCode' : ''}`
  /** @type {Map<CardFieldName, Frame>} */
  const frames = new Map()
  let { style } = options
  /** @type {Frame | undefined} */
  let coordinator
  /** @type {(() => void) | undefined} */
  let forget

  /** The hidden frame that holds the card. It starts before the fields, which look for it by its name. */
  function startCoordinator() {
    if (coordinator) return coordinator
    const opened = openFrame(document.body, {
      base: context.base,
      session: context.session(),
      parameters: { view: 'coordinator', fields: names },
      title: 'Card',
      name: `railyard-${group}`,
      group,
      receive: conversation.receive,
    })
    opened.element.hidden = true
    forget = context.onSession((session) => opened.send({ kind: 'session', session }))
    coordinator = opened
    announce(opened.started, listeners)
    return opened
  }

  /** @param {CardFieldName} name @returns {FieldElement} */
  const field = (name) => {
    // the mount that counts: an earlier one may still be waiting for the coordinator
    let mounted = 0
    return {
      mount(target) {
        const place = placeOf(target)
        this.unmount()
        const mount = ++mounted
        startCoordinator().started.then(
          () => {
            if (mount !== mounted) return
            const opened = openFrame(place, {
              base: context.base,
              session: context.session(),
              parameters: { view: 'field', fields: name, ...(options.locale && { locale: options.locale }) },
              title: name,
              group,
              receive: conversation.receive,
            })
            if (style) opened.send({ kind: 'style', style })
            frames.set(name, opened)
          },
          () => undefined,
        )
      },
      unmount() {
        mounted++
        frames.get(name)?.remove()
        frames.delete(name)
      },
      focus() {
        frames.get(name)?.element.focus()
        frames.get(name)?.send({ kind: 'focus', field: name })
      },
    }
  }

  const elements = {
    number: field('number'),
    expiry: field('expiry'),
    code: field('code'),
    ...(options.postalCode && { postalCode: field('postalCode') }),
  }
  return {
    ...elements,
    on: listeners.on,
    submit: () => conversation.submit(coordinator),
    update(changed) {
      style = { ...style, ...changed.style }
      for (const frame of frames.values()) frame.send({ kind: 'style', style })
    },
    clear: () => coordinator?.send({ kind: 'clear' }),
    unmount() {
      for (const element of Object.values(elements)) element.unmount()
      forget?.()
      coordinator?.remove()
      conversation.close()
      coordinator = undefined
    },
  }
}
