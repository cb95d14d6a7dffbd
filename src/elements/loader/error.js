/** @import { DeclineAdvice, RailyardElementsErrorCode } from './types.ts' */

/** @type {Readonly<Record<RailyardElementsErrorCode, string>>} */
const errorMessages = {
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
  no_card_fields:
    'This element has no card fields for the payment service of the checkout session: use card(), and a session with a payment_service_id',
  provider_failed: 'The script of the payment service’s provider did not start',
  script_failed: 'The script of the checkout did not start',
  unmounted: 'The element is not on the page',
}

/** Something that a page has to handle. It never holds card data. */
export class RailyardElementsError extends Error {
  /** @param {RailyardElementsErrorCode} code @param {DeclineAdvice} [advice] */
  constructor(code, advice) {
    super(errorMessages[code])
    this.name = 'RailyardElementsError'
    /** @readonly @type {RailyardElementsErrorCode} */
    this.code = code
    /** Of the code `declined`. The frame tells the buyer the same. @readonly @type {DeclineAdvice | undefined} */
    this.advice = advice
  }
}

/** @param {unknown} code @returns {RailyardElementsError} */
export const errorOf = (code) => new RailyardElementsError(isErrorCode(code) ? code : 'failed')

/** @param {unknown} code @returns {code is RailyardElementsErrorCode} */
const isErrorCode = (code) => typeof code === 'string' && Object.hasOwn(errorMessages, code)
