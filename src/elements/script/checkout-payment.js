/**
 * @typedef {{ status: number, body: any }} ApiAnswer An answer of the API, whose body is JSON.
 * @typedef {(method: string, path: string, body?: object, key?: string) => Promise<ApiAnswer | undefined>} Send
 *   Undefined: there was no answer.
 * @typedef {object} Attempt A payment that is sent under one idempotency key until its answer is there.
 * @property {string} key
 * @property {object} body
 * @property {boolean} maybeReceived An answer was lost: Railyard may have made the payment.
 * @typedef {{ transaction: any } | { code: string }} Paid
 */

const ANSWER_TIMEOUT_MS = 30_000
/** Before each time that a payment is sent. */
const pausesMs = [0, 500, 1_500, 4_000]

/** Sends requests to the API under the token of the moment. @param {string} api @param {() => string} token @returns {Send} */
export const sender = (api, token) => async (method, path, body, key) => {
  try {
    const answer = await fetch(`${api}${path}`, {
      method,
      headers: {
        authorization: `Bearer ${token()}`,
        ...(body && { 'content-type': 'application/json' }),
        ...(key && { 'idempotency-key': key }),
      },
      ...(body && { body: JSON.stringify(body) }),
      credentials: 'omit',
      referrerPolicy: 'no-referrer',
      signal: AbortSignal.timeout(ANSWER_TIMEOUT_MS),
    })
    return { status: answer.status, body: await answer.json() }
  } catch {
    return undefined
  }
}

/** @param {object} body @returns {Attempt} */
export const newAttempt = (body) => ({ key: crypto.randomUUID(), body, maybeReceived: false })

/**
 * Sends a payment, and sends it again with the same key while no answer decides it. The code `offline` leaves the
 * attempt open: it has to be sent again before anything else is paid.
 * @param {Send} send
 * @param {Attempt} attempt
 * @returns {Promise<Paid>}
 */
export async function payOnce(send, attempt) {
  for (const pause of pausesMs) {
    await new Promise((resolve) => setTimeout(resolve, pause))
    const answer = await send('POST', '/transactions', attempt.body, attempt.key)
    if (answer?.status === 201) return { transaction: answer.body }
    // refused before anything was done, unless an earlier one got through
    if (answer && isRefusal(answer.status) && !attempt.maybeReceived) return { code: refusalOf(answer) }
    attempt.maybeReceived = true
  }
  return { code: 'offline' }
}

/** 409: the first request with this key is still being processed. @param {number} status */
const isRefusal = (status) => status >= 400 && status < 500 && status !== 409

/** @param {ApiAnswer} answer */
export function refusalOf({ status, body }) {
  if (status === 401 || status === 403) return 'token_refused'
  if (status === 429) return 'too_many_requests'
  const isOver = body?.details?.some(
    (/** @type {{ pointer?: string }} */ { pointer }) => pointer === '/payment_method/id',
  )
  return isOver ? 'session_expired' : status < 500 ? 'refused' : 'failed'
}

/**
 * What the token fixes. It is read for its amount only; Railyard checks the token.
 * @param {string} token
 * @returns {{ amount: number, currency: string } | undefined}
 */
export function termsOf(token) {
  try {
    const payload = (token.split('.')[1] ?? '').replaceAll('-', '+').replaceAll('_', '/')
    const { amount, currency } = JSON.parse(atob(payload)).embed
    return typeof amount === 'number' && typeof currency === 'string' ? { amount, currency } : undefined
  } catch {
    return undefined
  }
}

/** An amount in the smallest unit of its currency as a decimal number of the currency: `12.99`. @param {number} amount @param {number} digits Of the currency's fraction. */
export const decimalAmount = (amount, digits) => (amount / 10 ** digits).toFixed(digits)

/** What an issuer wants to know of the browser (EMV 3DS, browser data). */
export const browserInfo = () => ({
  javascript_enabled: true,
  java_enabled: false,
  language: navigator.language,
  color_depth: screen.colorDepth,
  screen_height: screen.height,
  screen_width: screen.width,
  time_zone_offset: new Date().getTimezoneOffset(),
  user_agent: navigator.userAgent,
  user_device: matchMedia('(pointer: coarse)').matches ? 'mobile' : 'desktop',
})
