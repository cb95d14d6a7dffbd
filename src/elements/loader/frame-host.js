/** @import { Frame, FrameOptions, FrameStart, Settlers } from './types.ts' */
import { errorOf, RailyardElementsError } from './error.js'
import { settleLater } from './settle-later.js'

/** How long a frame may take to start, in milliseconds. */
const START_TIMEOUT_MS = 15_000

/**
 * Puts a frame of Railyard's origin into an element of the page. The first message of the frame is accepted if it
 * comes from this frame, from its origin, with the nonce of its URL; it brings one end of a channel, and every
 * other message goes through that.
 * @param {Element} place
 * @param {FrameOptions} options
 * @returns {Frame}
 */
export function openFrame(place, { base, session, parameters, title, name, group, allow = '', receive }) {
  const { origin } = new URL(base)
  const nonce = `${randomNonce()}${group ? `.${group}` : ''}`
  const element = place.ownerDocument.createElement('iframe')
  const query = new URLSearchParams({ session, parent: location.origin, ...parameters })
  element.src = `${base}/elements/card?${query}#${nonce}`
  element.title = title
  if (name) element.name = name
  element.allow = allow
  element.referrerPolicy = 'strict-origin'
  // the frame's document is light: behind it, a dark page would get a white canvas
  element.style.cssText = 'border:0;width:100%;display:block;height:0;color-scheme:light'

  /** @type {MessagePort | undefined} */
  let port
  /** @type {object[]} */
  const waiting = []
  /** @type {Settlers<FrameStart>} */
  const { promise: started, resolve, reject } = settleLater()
  // a page that does not wait for it learns of a failure by its own calls
  started.catch(() => undefined)
  const timer = setTimeout(() => reject(new RailyardElementsError('not_ready')), START_TIMEOUT_MS)

  /** @param {MessageEvent} event */
  const hear = ({ origin: sender, source, data, ports: [first] }) => {
    if (sender !== origin || source !== element.contentWindow || port) return
    if (data?.railyard !== 'ready' || data.nonce !== nonce || !first) return
    port = first
    port.onmessage = ({ data: message }) => {
      if (message?.kind === 'height')
        element.style.height = `${Math.min(Number(message.height) || 0, 2_000)}px`
      else receive(message)
    }
    for (const message of waiting.splice(0)) port.postMessage(message)
    clearTimeout(timer)
    if (data.refusal) reject(errorOf(data.refusal))
    else resolve(data)
  }
  addEventListener('message', hear)
  place.append(element)

  return {
    element,
    started,
    send(message) {
      if (port) port.postMessage(message)
      else waiting.push(message)
    },
    remove() {
      clearTimeout(timer)
      removeEventListener('message', hear)
      port?.close()
      element.remove()
      reject(new RailyardElementsError('unmounted'))
    },
  }
}

/** 128 random bits. @returns {string} */
export const randomNonce = () =>
  Array.from(crypto.getRandomValues(new Uint8Array(16)), (byte) => byte.toString(16).padStart(2, '0')).join(
    '',
  )

/** The element of the page in which something is mounted. Throws if there is none. @param {string | Element} target @returns {Element} */
export function placeOf(target) {
  const place = typeof target === 'string' ? document.querySelector(target) : target
  if (!place) throw new TypeError(`railyard: the page has no element ${String(target)}`)
  return place
}
