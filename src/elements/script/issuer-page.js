import { element } from './checkout-methods.js'
import { isMessage } from './frame.js'

/**
 * Posts a field to a page of the card's issuer, in the frame `issuer` of this document.
 * @param {string} action
 * @param {string} name
 * @param {string} value
 */
export function postToIssuer(action, name, value) {
  const form = element('form', { method: 'post', action, target: 'issuer', hidden: true })
  form.append(element('input', { type: 'hidden', name, value }))
  document.body.append(form)
  form.submit()
}

/** Calls back when the issuer's page has come back to a page of ours. @param {() => void} returned */
export function onIssuerReturn(returned) {
  addEventListener('message', ({ origin, source, data }) => {
    const issuer = document.querySelector('iframe')?.contentWindow
    if (origin === location.origin && source === issuer && isMessage(data) && data['railyard'] === 'returned')
      returned()
  })
}
