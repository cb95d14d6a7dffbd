/** @import { RailyardElementsErrorCode } from './types.ts' */

/** @type {Readonly<Record<RailyardElementsErrorCode, string>>} */
const errorMessages = {
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
  /** @param {RailyardElementsErrorCode} code */
  constructor(code) {
    super(errorMessages[code])
    this.name = 'RailyardElementsError'
    /** @readonly @type {RailyardElementsErrorCode} */
    this.code = code
  }
}

/** @param {unknown} code @returns {RailyardElementsError} */
export const errorOf = (code) => new RailyardElementsError(isErrorCode(code) ? code : 'failed')

/** @param {unknown} code @returns {code is RailyardElementsErrorCode} */
const isErrorCode = (code) => typeof code === 'string' && Object.hasOwn(errorMessages, code)
