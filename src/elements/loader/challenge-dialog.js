/** @import { CheckoutHost } from './checkout-types.ts' */

/**
 * Shows the page of the card's issuer in a dialog of this page. `end` is called when the dialog cannot be shown,
 * or the buyer closes it.
 * @param {CheckoutHost} host
 * @param {string} title In the buyer's language.
 * @param {(message: 'no-dialog' | 'dialog-closed') => void} end
 */
export function openChallengeDialog({ context, group, language, style, openFrame }, title, end) {
  const dialog = document.createElement('dialog')
  dialog.setAttribute('aria-label', title)
  dialog.style.cssText =
    'box-sizing:border-box;width:min(100vw,500px);height:min(100vh,640px);max-width:100vw;max-height:100vh;padding:0;border:0;border-radius:12px;overflow:hidden'
  // Escape: the checkout takes the payment back before the dialog closes
  dialog.addEventListener('cancel', (event) => {
    event.preventDefault()
    end('dialog-closed')
  })
  dialog.addEventListener('close', () => end('dialog-closed'))
  document.body.append(dialog)
  dialog.showModal()
  const opened = openFrame(dialog, {
    base: context.base,
    session: context.session(),
    parameters: { view: 'challenge', ...language },
    title,
    group,
    receive: () => undefined,
  })
  opened.element.style.height = '100%'
  const chosen = style()
  if (chosen) opened.send({ kind: 'style', style: chosen })
  opened.started.catch(() => end('no-dialog'))
  return {
    remove() {
      opened.remove()
      // gives the focus back
      dialog.close()
      dialog.remove()
    },
  }
}
