// What pages get of `@railyard/elements`, which packages/elements publishes
import type { Provider, ServedScript } from '../providers/provider.ts'
import type { RailyardElementsError } from './error.js'

/**
 * - `incomplete`: a field is empty or has a mistake; the frame shows it.
 * - `refused`: Railyard did not accept the card.
 * - `session_expired`: the checkout session is over; make another one.
 * - `too_many_requests`: wait a minute.
 * - `offline`: there was no answer. A checkout does not know then whether it has paid, and sends the same payment
 *   again with the next `confirm()`.
 * - `failed`: Railyard could not do it.
 * - `declined`: the payment was declined; `advice` says what helps.
 * - `token_refused`: the buyer's token is over, or not one for this merchant account.
 * - `busy`: the card is being submitted already.
 * - `not_ready`: the frame did not start. The session may be over, or this page's origin may be missing among the
 *   allowed origins of the merchant account.
 * - `no_card_fields`: the card of this session is taken by the fields of its payment service's provider, which
 *   `card()` alone shows; or this server takes no card numbers, and there are no such fields. A checkout shows the
 *   other ways to pay.
 * - `provider_failed`: the script of the payment service's provider did not start. Does the page's Content Security
 *   Policy allow it?
 * - `script_failed`: Railyard's script for a checkout did not start. Does the page's Content Security Policy allow it?
 * - `unmounted`: the element was removed.
 */
export type RailyardElementsErrorCode =
  | 'incomplete'
  | 'refused'
  | 'session_expired'
  | 'too_many_requests'
  | 'offline'
  | 'failed'
  | 'declined'
  | 'token_refused'
  | 'busy'
  | 'not_ready'
  | 'no_card_fields'
  | 'provider_failed'
  | 'script_failed'
  | 'unmounted'

/**
 * What helps after a decline: `details`, correct the card's details; `card`, another card; `bank`, another card or
 * the bank; `unconfirmed`, confirm the payment; `other`, another way to pay; `later`, wait some minutes.
 */
export type DeclineAdvice = 'details' | 'card' | 'bank' | 'unconfirmed' | 'other' | 'later'

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
  error: RailyardElementsError
}

/** What the page learns of a checkout. */
export interface CheckoutChange {
  /** Such as `card`, `wallet`, `stored` or `gift-card`; null: nothing is chosen. Further ones may be added. */
  method: string | null
  /** `confirm()` has what it needs. */
  complete: boolean
}

/** The events of a checkout and what their listeners get. */
export interface CheckoutEvents {
  /** The ways to pay are shown. */
  ready: undefined
  change: CheckoutChange
  /** A payment was not declined: that of `confirm()`, or of the button of a digital wallet. */
  paid: { transaction: ConfirmedPayment }
  /** Enter was pressed in a field. */
  submit: undefined
  /** The checkout did not start, or a payment of a digital wallet's button failed. */
  error: RailyardElementsError
}

/** Adds a listener; answers a function that removes it. */
export type AddListener<Events = ElementEvents> = <Name extends keyof Events>(
  name: Name,
  listener: (event: Events[Name]) => void,
) => () => void

/** The listeners of an element; `Events`: its events and what their listeners get. */
export interface Listeners<Events> {
  on: AddListener<Events>
  emit<Name extends keyof Events>(name: Name, event: Events[Name]): void
}

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

export interface CheckoutOptions {
  style?: CardStyle
  /** BCP 47; else the browser's. */
  locale?: string
  /** Of the payment, ISO 3166-1 alpha-2. Methods that send the buyer to a page of their own need it. */
  country?: string
  /** Where such methods send the buyer back to. Default: this page. */
  returnUrl?: string
  /** Asks for the postal code of the billing address. Default false. */
  postalCode?: boolean
}

/** A payment that was not declined. Your server reads the transaction before it delivers. */
export interface ConfirmedPayment {
  id: string
  /** Such as `authorization_succeeded`, `capture_succeeded` or `processing`: the outcome is not known yet. */
  status: string
}

/** The ways to pay that Railyard allows for the token, in one frame. */
export interface CheckoutElement {
  /** Shows the checkout in an element of the page, or the first that a selector finds. */
  mount(place: string | Element): void
  unmount(): void
  on: AddListener<CheckoutEvents>
  /**
   * Pays with the chosen method, once: a second call while the first is under way gets its result. Where the
   * buyer has to approve at another page, this page goes there, and the result is in the return URL. Rejects with a
   * `RailyardElementsError`; after `declined` the buyer can try again.
   */
  confirm(): Promise<{ transaction: ConfirmedPayment }>
  update(options: { style: CardStyle }): void
  focus(): void
}

export interface RailyardElementsOptions {
  /** Where Railyard serves its card fields: `ELEMENTS_ORIGIN`, or `PUBLIC_URL` without it. */
  origin: string
  /** The id of a checkout session, which your server has made. The card is put into it. */
  session: string
  /**
   * For `checkout()`: a token with the scope `embed` that your server has signed. It fixes amount, currency and
   * buyer.
   */
  token?: string
}

export interface RailyardElements {
  /** All fields of a card in one frame. */
  card(options?: CardOptions): CardElement
  /** Each field in a frame of its own. */
  cardFields(options?: CardOptions): CardFields
  /** The ways to pay, with the card form among them. Throws a `TypeError` without a `token`. */
  checkout(options?: CheckoutOptions): CheckoutElement
  /**
   * Another checkout session gets what is submitted from now on, such as for a second attempt. `token`: another
   * one for a checkout, such as after its cart has changed.
   */
  useSession(session: string, token?: string): void
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

export interface FrameOptions {
  /** The origin of the frame, with a path if Railyard is served below one. */
  base: string
  session: string
  parameters: Readonly<Record<string, string>>
  /** The accessible name of the frame. */
  title: string
  /** Names the frame for frames of its own origin that look for it. */
  name?: string
  /** What the frame may use, as a Permissions Policy of the element. Default: nothing. */
  allow?: string
  /** Follows the nonce in the fragment of the URL. */
  group?: string
  receive: (message: Record<string, unknown>) => void
}

export interface Frame {
  element: HTMLIFrameElement
  /** Messages that are sent before the frame has started are delivered then. */
  send(message: object): void
  /**
   * Settles when the frame has started. Rejects with `not_ready` if it does not start, and with the frame's reason if
   * there are no fields.
   */
  started: Promise<FrameStart>
  remove(): void
}

/** What a frame tells when it has started. */
export interface FrameStart {
  /** The page shows the fields of this provider. Null: the frame shows its own. */
  provider?: Provider | null
  /** Of a checkout: what the page runs beside the frame. */
  checkoutPart?: ServedScript
}

/** A promise, and what settles it. */
export interface Settlers<Value> {
  promise: Promise<Value>
  resolve: (value: Value) => void
  reject: (error: Error) => void
}
