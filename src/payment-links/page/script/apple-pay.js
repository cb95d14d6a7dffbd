import { ask } from './payment.js'

/**
 * What this page uses of Apple Pay on the Web.
 * @typedef {object} AppleSession
 * @property {(event: { validationURL: string }) => void} [onvalidatemerchant]
 * @property {(event: { payment: { token: { paymentData: object, paymentMethod?: { displayName?: string } } } }) => void} [onpaymentauthorized]
 * @property {() => void} begin
 * @property {() => void} abort
 * @property {(session: object) => void} completeMerchantValidation
 * @property {(result: { status: number }) => void} completePayment
 *
 * @typedef {(new (version: number, request: object) => AppleSession) & { canMakePayments(): boolean, STATUS_SUCCESS: number, STATUS_FAILURE: number }} ApplePay
 */

/**
 * Shows Apple's button where the browser has Apple Pay.
 * @param {(method: object) => Promise<boolean>} pay Pays with a method; answers whether the buyer stays on the form.
 * @param {(error: unknown) => unknown} onTrouble
 */
export function prepareApplePay(pay, onTrouble) {
  const button = document.querySelector('#apple-pay')
  /** @type {ApplePay | undefined} */
  const applePay = Reflect.get(globalThis, 'ApplePaySession')
  if (!(button instanceof HTMLElement) || !applePay?.canMakePayments()) return
  button.hidden = false
  button.addEventListener('click', () => {
    const session = new applePay(3, JSON.parse(button.dataset['request'] ?? '{}'))
    session.onvalidatemerchant = ({ validationURL }) =>
      ask('/apple-pay-sessions', { validation_url: validationURL }).then(
        (validated) => session.completeMerchantValidation(validated),
        (error) => {
          session.abort()
          onTrouble(error)
        },
      )
    session.onpaymentauthorized = async ({ payment: { token } }) => {
      // the token has the number of the device; the buyer knows the card by its last digits
      const [suffix] = /\d{4}$/.exec(token.paymentMethod?.displayName ?? '') ?? []
      const stays = await pay({
        method: 'applepay',
        token: token.paymentData,
        ...(suffix && { card_suffix: suffix }),
      })
      session.completePayment({ status: stays ? applePay.STATUS_FAILURE : applePay.STATUS_SUCCESS })
    }
    session.begin()
  })
}
