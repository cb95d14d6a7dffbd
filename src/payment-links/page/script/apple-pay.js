import { applePayOfBrowser, openAppleSheet } from '../../../elements/script/apple-sheet.js'
import { ask } from './payment.js'

/**
 * Shows Apple's button where the browser has Apple Pay. A buyer who closes Apple's sheet is back at the form,
 * which keeps what they have entered.
 * @param {(method: object) => Promise<boolean>} pay Pays with a method; answers whether the buyer stays on the form.
 * @param {(error: unknown) => unknown} onTrouble
 */
export function prepareApplePay(pay, onTrouble) {
  const button = document.querySelector('#apple-pay')
  if (!(button instanceof HTMLElement)) return
  const applePay = applePayOfBrowser()
  if (!applePay) return
  button.hidden = false
  button.addEventListener('click', () =>
    openAppleSheet(applePay, JSON.parse(button.dataset['request'] ?? '{}'), {
      validate: (validationUrl) => ask('/apple-pay-sessions', { validation_url: validationUrl }),
      pay: async (method) => !(await pay(method)),
      fail: onTrouble,
    }),
  )
}
