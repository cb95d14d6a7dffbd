/**
 * What pages and frames of Railyard use of Apple Pay on the Web.
 * @typedef {object} AppleSession
 * @property {(event: { validationURL: string }) => void} [onvalidatemerchant]
 * @property {(event: { payment: { token: { paymentData: object, paymentMethod?: { displayName?: string } } } }) => void} [onpaymentauthorized]
 * @property {() => void} [oncancel]
 * @property {() => void} begin
 * @property {() => void} abort
 * @property {(session: object) => void} completeMerchantValidation
 * @property {(result: { status: number }) => void} completePayment
 *
 * @typedef {(new (version: number, request: object) => AppleSession) & { canMakePayments(): boolean, STATUS_SUCCESS: number, STATUS_FAILURE: number }} ApplePay
 *
 * What Apple's sheet asks of the page that opens it.
 * @typedef {object} AppleSheetHost
 * @property {(validationUrl: string) => Promise<object>} validate Asks Apple for a session; throws if there is none.
 * @property {(method: object) => Promise<boolean>} pay Pays with a token; answers whether it has paid.
 * @property {(error: unknown) => unknown} fail There was no session, and the sheet is closed.
 * @property {() => void} [cancel] The buyer has closed the sheet.
 */

/** Undefined: this browser has no Apple Pay. @returns {ApplePay | undefined} */
export function applePayOfBrowser() {
  /** @type {ApplePay | undefined} */
  const applePay = Reflect.get(globalThis, 'ApplePaySession')
  try {
    return applePay?.canMakePayments() ? applePay : undefined
  } catch {
    // Safari throws in a page without https
    return undefined
  }
}

/** Opens Apple's sheet, which a click must have asked for. @param {ApplePay} applePay @param {object} request @param {AppleSheetHost} host */
export function openAppleSheet(applePay, request, { validate, pay, fail, cancel }) {
  const session = new applePay(3, request)
  session.onvalidatemerchant = ({ validationURL }) =>
    validate(validationURL).then(
      (validated) => unlessClosed(() => session.completeMerchantValidation(validated)),
      (error) => {
        unlessClosed(() => session.abort())
        fail(error)
      },
    )
  session.onpaymentauthorized = async ({ payment: { token } }) => {
    // the token has the number of the device; the buyer knows the card by its last digits
    const [suffix] = /\d{4}$/.exec(token.paymentMethod?.displayName ?? '') ?? []
    const hasPaid = await pay({
      method: 'applepay',
      token: token.paymentData,
      ...(suffix && { card_suffix: suffix }),
    })
    const status = hasPaid ? applePay.STATUS_SUCCESS : applePay.STATUS_FAILURE
    unlessClosed(() => session.completePayment({ status }))
  }
  if (cancel) session.oncancel = cancel
  session.begin()
}

/** Calls Apple's sheet, which throws if the buyer or a timeout has closed it. @param {() => void} call */
function unlessClosed(call) {
  try {
    call()
  } catch (error) {
    if (!(error instanceof DOMException)) throw error
  }
}
