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
  | 'unmounted'

const messages: Readonly<Record<RailyardElementsErrorCode, string>> = {
  incomplete: 'A field of the card is empty or wrong',
  refused: 'The card was not accepted',
  session_expired: 'The checkout session is over',
  too_many_requests: 'Too many requests: wait a minute',
  offline: 'There was no answer',
  failed: 'Something went wrong at Railyard',
  declined: 'The payment was declined',
  token_refused: 'The token is over, or not one for this merchant account',
  busy: 'The card is being submitted already',
  not_ready:
    'The frame did not start: is the checkout session open, and is the origin of this page among the allowed origins of the merchant account?',
  unmounted: 'The element is not on the page',
}

/**
 * What helps after a decline: `details`, correct the card's details; `card`, another card; `bank`, another card or
 * the bank; `unconfirmed`, confirm the payment; `other`, another way to pay; `later`, wait some minutes.
 */
export type DeclineAdvice = 'details' | 'card' | 'bank' | 'unconfirmed' | 'other' | 'later'

/** Something that a page has to handle. It never holds card data. */
export class RailyardElementsError extends Error {
  readonly code: RailyardElementsErrorCode
  /** Of the code `declined`. The frame tells the buyer the same. */
  readonly advice: DeclineAdvice | undefined

  constructor(code: RailyardElementsErrorCode, advice?: DeclineAdvice) {
    super(messages[code])
    this.name = 'RailyardElementsError'
    this.code = code
    this.advice = advice
  }
}

export const declined = (advice: unknown): RailyardElementsError =>
  new RailyardElementsError('declined', String(advice) as DeclineAdvice)

export const errorOf = (code: unknown): RailyardElementsError =>
  new RailyardElementsError(isErrorCode(code) ? code : 'failed')

const isErrorCode = (code: unknown): code is RailyardElementsErrorCode =>
  typeof code === 'string' && Object.hasOwn(messages, code)
