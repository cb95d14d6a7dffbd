import { RailyardElementsError } from './error.js'

/**
 * @typedef {object} FrameOptions
 * @property {string} base The origin of the frame, with a path if Railyard is served below one.
 * @property {string} session
 * @property {Readonly<Record<string, string>>} parameters
 * @property {string} title The accessible name of the frame.
 * @property {string} [name] Names the frame for frames of its own origin that look for it.
 * @property {string} [group] Follows the nonce in the fragment of the URL.
 * @property {(message: Record<string, unknown>) => void} receive
 *
 * @typedef {object} Frame
 * @property {HTMLIFrameElement} element
 * @property {(message: object) => void} send Messages that are sent before the frame has started are delivered then.
 * @property {Promise<void>} started Settles when the frame has started. Rejects with `not_ready` if it does not.
 * @property {() => void} remove
 */

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
export function openFrame(place, { base, session, parameters, title, name, group, receive }) {
  const { origin } = new URL(base)
  const nonce = `${randomNonce()}${group ? `.${group}` : ''}`
  const element = place.ownerDocument.createElement('iframe')
  const query = new URLSearchParams({ session, parent: location.origin, ...parameters })
  element.src = `${base}/elements/card?${query}#${nonce}`
  element.title = title
  if (name) element.name = name
  element.allow = ''
  element.referrerPolicy = 'strict-origin'
  // the colour scheme of the frame's document: with another one its background would not be transparent
  element.style.cssText = 'border:0;width:100%;display:block;height:0;color-scheme:light'

  /** @type {MessagePort | undefined} */
  let port
  /** @type {object[]} */
  const waiting = []
  const { promise: started, resolve, reject } = settledLater()
  // a page that does not wait for it learns of a failure by its own calls
  started.catch(() => undefined)
  const timer = setTimeout(() => reject(new RailyardElementsError('not_ready')), START_TIMEOUT_MS)

  /** @param {MessageEvent} event */
  const hear = (event) => {
    if (event.origin !== origin || event.source !== element.contentWindow || port) return
    const { data, ports } = event
    if (data?.railyard !== 'ready' || data.nonce !== nonce || !ports[0]) return
    port = ports[0]
    port.onmessage = ({ data: message }) => {
      if (message?.kind === 'height')
        element.style.height = `${Math.min(Number(message.height) || 0, 2_000)}px`
      else receive(message)
    }
    for (const message of waiting.splice(0)) port.postMessage(message)
    clearTimeout(timer)
    resolve()
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

function settledLater() {
  /** @type {() => void} */
  let resolve = () => undefined
  /** @type {(error: Error) => void} */
  let reject = () => undefined
  /** @type {Promise<void>} */
  const promise = new Promise((onResolve, onReject) => {
    resolve = onResolve
    reject = onReject
  })
  return { promise, resolve, reject }
}

/** 128 random bits. */
export const randomNonce = () =>
  Array.from(crypto.getRandomValues(new Uint8Array(16)), (byte) => byte.toString(16).padStart(2, '0')).join(
    '',
  )

/** The element of the page in which something is mounted. Throws if there is none. @param {string | Element} target */
export function placeOf(target) {
  const place = typeof target === 'string' ? document.querySelector(target) : target
  if (!place) throw new TypeError(`railyard: the page has no element ${String(target)}`)
  return place
}
