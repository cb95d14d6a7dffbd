/** @import { RailyardElementsErrorCode } from '../../../packages/elements/src/error.ts' */

/** @type {Readonly<Record<RailyardElementsErrorCode, string>>} */
const errorTexts = {
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
    super(errorTexts[code])
    this.name = 'RailyardElementsError'
    /** @readonly */
    this.code = code
  }
}

/** @param {unknown} code */
export const errorOf = (code) => new RailyardElementsError(isErrorCode(code) ? code : 'failed')

/** @param {unknown} code @returns {code is RailyardElementsErrorCode} */
const isErrorCode = (code) => typeof code === 'string' && Object.hasOwn(errorTexts, code)
