import { element, part } from './checkout-methods.js'
import { applyStyle, connectPage, groupFrameName, isMessage, siblingFrame } from './frame.js'

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
    const form = element('form', {
      method: 'post',
      action: String(data['acs_url']),
      target: 'issuer',
      hidden: true,
    })
    form.append(element('input', { type: 'hidden', name: 'creq', value: String(data['creq']) }))
    document.body.append(form)
    form.submit()
  }
  siblingFrame(groupFrameName())?.postMessage({ railyard: 'challenge' }, location.origin, [port2])
  for (const kind of ['cancel', 'leave'])
    part(kind).addEventListener('click', () => port1.postMessage({ kind }))
  addEventListener('message', ({ origin, source, data }) => {
    const issuer = document.querySelector('iframe')?.contentWindow
    if (origin === location.origin && source === issuer && isMessage(data) && data['railyard'] === 'returned')
      port1.postMessage({ kind: 'returned' })
  })
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
