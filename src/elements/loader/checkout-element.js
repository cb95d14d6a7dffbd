/** @import { CheckoutPart } from './checkout-types.ts' */
/** @import { CheckoutElement, CheckoutEvents, CheckoutOptions, ElementContext, Frame, Listeners } from './types.ts' */
import { announceFailure, createListeners } from './conversation.js'
import { errorOf, RailyardElementsError } from './error.js'
import { openFrame, placeOf, randomNonce } from './frame-host.js'
import { loadServedScript } from './served-script.js'

/**
 * A checkout in its frame. What the page does while the buyer pays is a script that Railyard serves and the frame
 * names: pages without a checkout do not load it, and it has the version of the frame.
 * @param {ElementContext} context
 * @param {CheckoutOptions} [options]
 * @returns {CheckoutElement}
 */
export function createCheckout(context, options = {}) {
  const { locale, country, returnUrl = location.href, postalCode } = options
  if (!context.token()) throw new TypeError('railyard: a checkout needs the option token of loadRailyard')
  /** @type {Listeners<CheckoutEvents>} */
  const listeners = createListeners()
  /** @type {Record<string, string>} */
  const language = locale ? { locale } : {}
  let { style } = options
  /** @type {{ frame: Frame, part: Promise<CheckoutPart>, forget: () => void } | undefined} */
  let mounted

  /** @param {Frame} frame @param {string} group */
  async function loadPart(frame, group) {
    const { checkoutPart } = await frame.started
    if (checkoutPart) await loadServedScript(context.base, checkoutPart)
    // the element was removed while the script was loading
    if (mounted?.frame !== frame) throw new RailyardElementsError('unmounted')
    const start = globalThis.railyardCheckout
    if (!start) throw new RailyardElementsError('script_failed')
    const { emit } = listeners
    const host = { context, frame, group, language, style: () => style, emit }
    return start({ ...host, openFrame, errorOf, RailyardElementsError })
  }

  /** @type {CheckoutElement} */
  const element = {
    mount(target) {
      element.unmount()
      const group = randomNonce()
      const frame = openFrame(placeOf(target), {
        base: context.base,
        session: context.session(),
        parameters: {
          view: 'checkout',
          fields: `number,expiry,code${postalCode ? ',postalCode' : ''}`,
          ...language,
        },
        title: 'Checkout',
        name: `railyard-${group}`,
        group,
        // Apple Pay and Google Pay
        allow: 'payment',
        receive: (message) => withPart(part, ({ hear }) => hear(message)),
      })
      const part = loadPart(frame, group)
      if (style) frame.send({ kind: 'style', style })
      const sendTerms = () =>
        frame.send({
          kind: 'terms',
          token: context.token(),
          country,
          returnUrl: new URL(returnUrl, location.href).href,
        })
      sendTerms()
      const forget = context.onSession((session) => {
        frame.send({ kind: 'session', session })
        sendTerms()
      })
      mounted = { frame, part, forget }
      announceFailure(part, listeners)
      // a wallet's button would pay, and the page would not learn of it
      part.catch(({ code }) => {
        if (code === 'script_failed') frame.element.style.display = 'none'
      })
    },
    unmount() {
      mounted?.forget()
      mounted?.frame.remove()
      if (mounted) withPart(mounted.part, ({ remove }) => remove())
      mounted = undefined
    },
    on: listeners.on,
    async confirm() {
      if (!mounted) throw new RailyardElementsError('unmounted')
      return (await mounted.part).confirm()
    },
    update(changed) {
      style = { ...style, ...changed.style }
      mounted?.frame.send({ kind: 'style', style })
    },
    focus() {
      mounted?.frame.element.focus()
      mounted?.frame.send({ kind: 'focus' })
    },
  }
  return element
}

/** Does nothing if the part is not there. @param {Promise<CheckoutPart>} part @param {(part: CheckoutPart) => void} act */
const withPart = (part, act) => void part.then(act, () => undefined)
