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
 * - `no_card_fields`: this server takes no card numbers, and the payment service of the checkout session has no
 *   fields that this element can show.
 * - `provider_failed`: the script of the payment service's provider did not start. Does the page's Content Security
 *   Policy allow it?
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
  | 'no_card_fields'
  | 'provider_failed'
  | 'unmounted'

const messages: Readonly<Record<RailyardElementsErrorCode, string>> = {
  incomplete: 'A field of the card is empty or wrong',
  refused: 'The card was not accepted',
  session_expired: 'The checkout session is over',
  too_many_requests: 'Too many requests: wait a minute',
  offline: 'There was no answer',
  failed: 'The card could not be stored',
  busy: 'The card is being submitted already',
  not_ready:
    'The frame did not start: is the checkout session open, and is the origin of this page among the allowed origins of the merchant account?',
  no_card_fields:
    'The payment service of the checkout session has no fields that can be shown, and this server takes no card numbers: use card(), and a session with a payment_service_id',
  provider_failed: 'The script of the payment service’s provider did not start',
  unmounted: 'The element is not on the page',
}

/** Something that a page has to handle. It never holds card data. */
export class RailyardElementsError extends Error {
  readonly code: RailyardElementsErrorCode

  constructor(code: RailyardElementsErrorCode) {
    super(messages[code])
    this.name = 'RailyardElementsError'
    this.code = code
  }
}

export const errorOf = (code: unknown): RailyardElementsError =>
  new RailyardElementsError(isErrorCode(code) ? code : 'failed')

const isErrorCode = (code: unknown): code is RailyardElementsErrorCode =>
  typeof code === 'string' && Object.hasOwn(messages, code)
