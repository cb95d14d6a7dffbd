// What pages get of `@railyard/elements`, which packages/elements publishes

/**
 * - `incomplete`: a field is empty or has a mistake; the frame shows it.
 * - `refused`: Railyard did not accept the card.
 * - `session_expired`: the checkout session is over; make another one.
 * - `too_many_requests`: wait a minute.
 * - `offline`: there was no answer.
 * - `failed`: Railyard could not store the card.
 * - `busy`: the card is being submitted already.
 * - `not_ready`: the frame did not start. The session may be over, or this page's origin may be missing among the
 *   allowed origins of the merchant account.
 * - `unmounted`: the element was removed.
 */
export type RailyardElementsErrorCode =
  | 'incomplete'
  | 'refused'
  | 'session_expired'
  | 'too_many_requests'
  | 'offline'
  | 'failed'
  | 'busy'
  | 'not_ready'
  | 'unmounted'

export type CardFieldName = 'number' | 'expiry' | 'code' | 'postalCode'

/** What the page learns of a card. Further brands may be added. */
export interface CardChange {
  /** Every field is valid. */
  complete: boolean
  /** By the first digits, such as `visa`; null: not known yet. */
  brand: string | null
  /** Of a complete and valid number; else null. */
  last4: string | null
  fields: Partial<Record<CardFieldName, { empty: boolean; valid: boolean }>>
}

/** A card that is in the checkout session now. */
export interface SubmittedCard {
  brand: string | null
  last4: string | null
}

/** Values of CSS, without URLs and functions that read something. */
export interface CardStyle {
  color?: string
  background?: string
  borderColor?: string
  borderRadius?: string
  borderWidth?: string
  /** Of the focused field and the brand. */
  accentColor?: string
  /** Of mistakes. */
  dangerColor?: string
  placeholderColor?: string
  labelColor?: string
  /** A font that the buyer's device has. */
  fontFamily?: string
  fontSize?: string
  padding?: string
  gap?: string
  /** `hidden`: for screen readers only. */
  labels?: 'above' | 'hidden'
}

/** The events of an element and what their listeners get. */
export interface ElementEvents {
  ready: undefined
  change: CardChange
  focus: CardFieldName
  blur: CardFieldName
  /** Enter was pressed in a field. */
  submit: undefined
  error: Error & { readonly code: RailyardElementsErrorCode }
}

export type Listener<Name extends keyof ElementEvents> = (event: ElementEvents[Name]) => void

/** Adds a listener; answers a function that removes it. */
export type AddListener = <Name extends keyof ElementEvents>(
  name: Name,
  listener: Listener<Name>,
) => () => void

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
  on: AddListener
  /**
   * Puts the card into the checkout session. Your server pays with the session then. Rejects with a
   * `RailyardElementsError`. The security code is cleared: it is good for one attempt.
   */
  submit(): Promise<SubmittedCard>
  update(options: { style: CardStyle }): void
  clear(): void
  focus(field?: CardFieldName): void
}

/** One field of a card in a frame of its own. */
export interface FieldElement {
  mount(place: string | Element): void
  unmount(): void
  focus(): void
}

/**
 * The fields of a card in frames of their own, for pages that place each by itself. Browsers fill in a whole card
 * only within one frame: prefer `card()`. The frames speak with each other through channels that the page does
 * not have.
 */
export interface CardFields {
  number: FieldElement
  expiry: FieldElement
  code: FieldElement
  /** If the option `postalCode` is set. */
  postalCode?: FieldElement
  on: AddListener
  submit(): Promise<SubmittedCard>
  update(options: { style: CardStyle }): void
  clear(): void
  unmount(): void
}

export interface RailyardElementsOptions {
  /** Where Railyard serves its card fields: `ELEMENTS_ORIGIN`, or `PUBLIC_URL` without it. */
  origin: string
  /** The id of a checkout session, which your server has made. The card is put into it. */
  session: string
}

export interface RailyardElements {
  /** All fields of a card in one frame. */
  card(options?: CardOptions): CardElement
  /** Each field in a frame of its own. */
  cardFields(options?: CardOptions): CardFields
  /** Another checkout session gets what is submitted from now on, such as for a second attempt. */
  useSession(session: string): void
}

/** Where frames come from, and the session that gets the card. */
export interface ElementContext {
  base: string
  session: () => string
  /** Called when the session changes; answers a function that removes the listener. */
  onSession: (listener: (session: string) => void) => () => void
}

export interface FrameOptions {
  /** The origin of the frame, with a path if Railyard is served below one. */
  base: string
  session: string
  parameters: Readonly<Record<string, string>>
  /** The accessible name of the frame. */
  title: string
  /** Names the frame for frames of its own origin that look for it. */
  name?: string
  /** Follows the nonce in the fragment of the URL. */
  group?: string
  receive: (message: Record<string, unknown>) => void
}

export interface Frame {
  element: HTMLIFrameElement
  /** Messages that are sent before the frame has started are delivered then. */
  send(message: object): void
  /** Settles when the frame has started. Rejects with `not_ready` if it does not. */
  started: Promise<void>
  remove(): void
}
