import { type Frame, openFrame, placeOf } from './frame.ts'
import { announce, holderOf } from './holder.ts'
import { createListeners } from './listeners.ts'
import type { CardFieldName, CardStyle, ElementEvents, Listener, SubmittedCard } from './messages.ts'

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
  /** The buyer's token; undefined: the page has given none. */
  token: () => string | undefined
  /** Called when the session or the token changes; answers a function that removes the listener. */
  onSession: (listener: (session: string) => void) => () => void
}

export function createCard(context: ElementContext, options: CardOptions = {}): CardElement {
  const listeners = createListeners<ElementEvents>()
  const holder = holderOf(listeners)
  let { style } = options
  let frame: Frame | undefined
  let forget: (() => void) | undefined

  const element: CardElement = {
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
        receive: holder.receive,
      })
      frame = opened
      if (style) opened.send({ kind: 'style', style })
      forget = context.onSession((session) => opened.send({ kind: 'session', session }))
      announce(
        opened,
        (error) => listeners.emit('error', error),
        () => listeners.emit('ready', undefined),
      )
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
