import type { CardFieldName, CardStyle, ElementEvents, Listener, SubmittedCard } from './messages.ts'

export interface CardOptions {
  style?: CardStyle
  /** BCP 47; else the browser's. */
  locale?: string
  /** Asks for the postal code of the billing address. Default false. */
  postalCode?: boolean
  /** The accessible name of the frame, in the page's language. Default `Card`. */
  title?: string
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
