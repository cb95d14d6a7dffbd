import { type Frame, openFrame, placeOf } from './frame.ts'
import { announce, holderOf } from './holder.ts'
import { createListeners } from './listeners.ts'
import type { CardFieldName, CardStyle, ElementEvents, Listener, SubmittedCard } from './messages.ts'
import { type MountedProvider, mountProvider } from './provider-fields.ts'

export interface CardOptions {
  style?: CardStyle
  /** BCP 47; else the browser's. */
  locale?: string
  /** Asks for the postal code of the billing address. Default false. */
  postalCode?: boolean
}

/** All fields of a card in one frame, so that the browser can fill in a whole card. */
export interface CardElement {
  /** Shows the fields in an element of the page, or the first that a selector finds. */
  mount(place: string | Element): void
  unmount(): void
  /** Adds a listener; answers a function that removes it. */
  on<Name extends keyof ElementEvents>(name: Name, listener: Listener<Name>): () => void
  /**
   * Puts the card into the checkout session. Your server pays with the session then. Rejects with a
   * `RailyardElementsError`. The security code is cleared: it is good for one attempt.
   */
  submit(): Promise<SubmittedCard>
  update(options: { style: CardStyle }): void
  clear(): void
  focus(field?: CardFieldName): void
}

/** Where frames come from, and the session that gets the card. */
export interface ElementContext {
  base: string
  session: () => string
  /** Called when the session changes; answers a function that removes the listener. */
  onSession: (listener: (session: string) => void) => () => void
}

export function createCard(context: ElementContext, options: CardOptions = {}): CardElement {
  const listeners = createListeners()
  const holder = holderOf(listeners)
  let { style } = options
  let frame: Frame | undefined
  let forget: (() => void) | undefined
  /** The provider's fields, if they are those that the page shows. */
  let shown: Promise<MountedProvider | undefined> = Promise.resolve(undefined)

  /** Nothing happens where the frame shows its own fields, or there are none. */
  const withFields = (change: (fields: MountedProvider) => void): void => {
    shown.then(
      (fields) => fields && change(fields),
      () => undefined,
    )
  }

  const element: CardElement = {
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
        receive: holder.receive,
      })
      frame = opened
      if (style) opened.send({ kind: 'style', style })
      forget = context.onSession((session) => opened.send({ kind: 'session', session }))
      shown = opened.started.then((provider) => {
        if (!provider) return undefined
        // the frame has nothing to show: it puts the provider's tokens into the session
        opened.element.hidden = true
        return mountProvider({ place, base: context.base, provider, options, style, listeners })
      })
      announce(shown, listeners)
    },
    unmount() {
      forget?.()
      // also if the provider's script is still loading
      withFields((fields) => fields.remove())
      shown = Promise.resolve(undefined)
      frame?.remove()
      holder.close()
      frame = undefined
    },
    on: listeners.on,
    async submit() {
      const submitted = frame
      const fields = await shown
      const token = await fields?.createToken()
      // an element that was removed meanwhile gets no answer
      return holder.submit(frame === submitted ? submitted : undefined, token)
    },
    update(changed) {
      style = { ...style, ...changed.style }
      frame?.send({ kind: 'style', style })
      withFields((fields) => fields.setStyle(style ?? {}))
    },
    clear() {
      frame?.send({ kind: 'clear' })
      withFields((fields) => fields.clear())
    },
    focus(field) {
      frame?.element.focus()
      frame?.send({ kind: 'focus', field })
      withFields((fields) => fields.focus())
    },
  }
  return element
}
