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
