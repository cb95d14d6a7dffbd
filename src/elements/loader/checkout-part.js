/** @import { CheckoutHost, CheckoutPart } from './checkout-types.ts' */
/** @import { ConfirmedPayment, DeclineAdvice, Settlers } from './types.ts' */
import { openChallengeDialog } from './challenge-dialog.js'
import { settleLater } from './settle-later.js'

globalThis.railyardCheckout = startCheckoutPart

/**
 * What the page does while the buyer pays: it answers `confirm()`, goes to the pages of other methods, and shows the
 * page of the card's issuer in a dialog.
 * @param {CheckoutHost} host
 * @returns {CheckoutPart}
 */
function startCheckoutPart(host) {
  const { frame, emit, errorOf, RailyardElementsError } = host
  /** @type {{ remove(): void } | undefined} */
  let dialog
  /** The result that `confirm()` waits for. @type {Settlers<{ transaction: ConfirmedPayment }> | undefined} */
  let confirmation

  /** @param {DeclineAdvice} advice */
  const declined = (advice) => new RailyardElementsError('declined', advice)
  /** @param {Error} error */
  const fail = (error) => {
    confirmation?.reject(error)
    confirmation = undefined
  }
  const closeDialog = () => {
    dialog?.remove()
    dialog = undefined
  }

  /** Sends this page to the page where the buyer approves. A browser may show this page again without loading it. @param {string} url */
  function leave(url) {
    if (!/^https?:$/.test(URL.canParse(url) ? new URL(url).protocol : '')) return fail(errorOf('failed'))
    addEventListener('pageshow', ({ persisted }) => persisted && fail(declined('unconfirmed')), {
      once: true,
    })
    location.assign(url)
  }

  /** What the frame tells. @type {Record<string, (message: Record<string, any>) => void>} */
  const hear = {
    change: ({ method, complete }) => emit('change', { method, complete }),
    ready: () => emit('ready', undefined),
    enter: () => emit('submit', undefined),
    error: ({ code }) => emit('error', errorOf(code)),
    paid({ transaction: { id, status } }) {
      const paid = { transaction: { id, status } }
      confirmation?.resolve(paid)
      confirmation = undefined
      emit('paid', paid)
    },
    failed({ code, advice }) {
      const error = code === 'declined' ? declined(advice) : errorOf(code)
      // the button of a digital wallet pays without `confirm()`
      if (!confirmation) emit('error', error)
      fail(error)
    },
    redirect: ({ url }) => leave(String(url)),
    challenge({ title }) {
      closeDialog()
      dialog = openChallengeDialog(host, String(title), (kind) => frame.send({ kind }))
    },
    'challenge-end': closeDialog,
  }

  return {
    hear: (message) => hear[String(message['kind'])]?.(message),
    confirm() {
      if (confirmation) return confirmation.promise
      /** @type {Settlers<{ transaction: ConfirmedPayment }>} */
      const started = settleLater()
      confirmation = started
      frame.send({ kind: 'confirm' })
      return started.promise
    },
    remove() {
      closeDialog()
      fail(new RailyardElementsError('unmounted'))
    },
  }
}
