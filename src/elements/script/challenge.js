import { part } from './checkout-methods.js'
import { applyStyle, connectPage, groupFrameName, isMessage, siblingFrame } from './frame.js'
import { onIssuerReturn, postToIssuer } from './issuer-page.js'

/**
 * The dialog in which the card's issuer asks the buyer. The checkout, a frame of the same origin beside it, gives
 * it the challenge and hears how it ends, through a channel that the page never has.
 * @param {import('./frame.js').FrameConfig} config
 */
export function startChallenge(config) {
  const { port1, port2 } = new MessageChannel()
  connectPage(config, (message) => message['kind'] === 'style' && applyStyle(message['style']))
  port1.onmessage = ({ data }) => {
    if (!isMessage(data) || data['kind'] !== 'challenge') return
    // EMV 3DS: the browser posts the challenge request to the issuer
    postToIssuer(String(data['acs_url']), 'creq', String(data['creq']))
  }
  siblingFrame(groupFrameName())?.postMessage({ railyard: 'challenge' }, location.origin, [port2])
  for (const kind of ['cancel', 'leave'])
    part(kind).addEventListener('click', () => port1.postMessage({ kind }))
  onIssuerReturn(() => port1.postMessage({ kind: 'returned' }))
}

/**
 * Behind the issuer's page: tells the dialog around it, or goes on to the merchant's page if the issuer had the
 * whole window.
 * @param {import('./frame.js').FrameConfig} config
 */
export function startReturned({ to }) {
  if (parent !== window) parent.postMessage({ railyard: 'returned' }, location.origin)
  else if (to !== undefined) location.replace(to)
}
