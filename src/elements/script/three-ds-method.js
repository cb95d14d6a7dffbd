import { element } from './checkout-methods.js'
import { isMessage } from './frame.js'
import { onIssuerReturn, postToIssuer } from './issuer-page.js'

/** How long the payment waits for the 3DS method, in milliseconds (EMV 3DS: ten seconds). */
const LIMIT_MS = 10_000

/**
 * Lets the issuer of the card in a session see the browser before the payment, in a hidden frame. Whatever goes
 * wrong, the payment continues: Railyard knows from the issuer's page whether it ended.
 * @param {import('./frame.js').CheckoutFrameConfig} config
 * @param {import('./checkout-payment.js').Send} send
 * @param {string} session
 */
export async function runThreeDSMethod({ api, parent }, send, session) {
  /** @type {HTMLIFrameElement | undefined} */
  let frame
  const limit = new AbortController()
  const { signal } = limit

  async function run() {
    const answer = await send('POST', `/checkout/sessions/${session}/three-ds-method`)
    const id = answer?.status === 200 && answer.body.method?.three_ds_server_transaction_id
    if (!id || signal.aborted) return
    const query = new URLSearchParams({ session, parent, id })
    const shown = element('iframe', { src: `${api}/elements/method?${query}`, hidden: true })
    frame = shown
    document.body.append(shown)
    await new Promise((resolve) =>
      addEventListener(
        'message',
        ({ origin, source, data }) => {
          const isEnd = isMessage(data) && data['railyard'] === 'method-end'
          if (origin === location.origin && source === shown.contentWindow && isEnd) resolve(undefined)
        },
        { signal },
      ),
    )
  }

  await Promise.race([run(), new Promise((resolve) => setTimeout(resolve, LIMIT_MS))])
  limit.abort()
  frame?.remove()
}

/**
 * The hidden frame: posts to the issuer's page, and tells the checkout around it when that has ended, or that the
 * policy of this document has stopped it.
 * @param {import('./frame.js').FrameConfig} config
 */
export function startThreeDSMethod({ method }) {
  const end = () => parent.postMessage({ railyard: 'method-end' }, location.origin)
  onIssuerReturn(end)
  addEventListener('securitypolicyviolation', end)
  if (method) postToIssuer(method.url, 'threeDSMethodData', method.data)
}
