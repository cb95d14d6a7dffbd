/**
 * What this page uses of Google's script.
 * @typedef {object} GoogleClient
 * @property {(request: object) => Promise<{ result: boolean }>} isReadyToPay
 * @property {(options: object) => HTMLElement} createButton
 * @property {(request: object) => Promise<GoogleApproval>} loadPaymentData
 *
 * @typedef {{ paymentMethodData: { tokenizationData: { token: string }, info?: { cardDetails?: string } } }} GoogleApproval
 * @typedef {{ payments?: { api?: { PaymentsClient: new (options: object) => GoogleClient } } }} Google
 */

/**
 * Loads Google's script, if Google Pay is offered, and shows its button to buyers who can use it. A buyer who
 * closes Google's window is back at the form, which keeps what they have entered. Without the script the page
 * has its other ways to pay.
 * @param {(method: object) => Promise<unknown>} pay
 * @param {(error: unknown) => unknown} onTrouble
 */
export async function prepareGooglePay(pay, onTrouble) {
  const place = document.querySelector('#google-pay')
  if (!(place instanceof HTMLElement)) return
  const { script, client: options, request, button } = JSON.parse(place.dataset['googlePay'] ?? '{}')
  await loadScript(script)
  /** @type {Google | undefined} */
  const google = Reflect.get(globalThis, 'google')
  if (!google?.payments?.api) return
  const client = new google.payments.api.PaymentsClient(options)
  const { apiVersion, apiVersionMinor, allowedPaymentMethods } = request
  const ready = await client
    .isReadyToPay({ apiVersion, apiVersionMinor, allowedPaymentMethods })
    .catch(() => undefined)
  if (!ready?.result) return
  const onClick = () =>
    client.loadPaymentData(request).then(
      ({ paymentMethodData: { tokenizationData, info } }) => {
        // a token of a device has its own number; the buyer knows the card by its last digits
        const [suffix] = /\d{4}$/.exec(info?.cardDetails ?? '') ?? []
        return pay({
          method: 'googlepay',
          token: tokenizationData.token,
          ...(suffix && { card_suffix: suffix }),
        })
      },
      (error) => error?.statusCode !== 'CANCELED' && onTrouble(error),
    )
  const isDark = matchMedia('(prefers-color-scheme: dark)').matches
  place.append(client.createButton({ ...button, buttonColor: isDark ? 'white' : 'black', onClick }))
  place.hidden = false
}

/** Resolves as well if the script cannot be loaded. @param {string} url @returns {Promise<unknown>} */
const loadScript = (url) =>
  new Promise((resolve) => {
    const element = Object.assign(document.createElement('script'), { src: url, async: true })
    element.addEventListener('load', resolve)
    element.addEventListener('error', resolve)
    document.head.append(element)
  })
