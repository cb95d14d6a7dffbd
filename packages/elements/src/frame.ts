import type { Provider } from '../../../src/elements/providers/types.d.ts'
import { errorOf, RailyardElementsError } from './error.ts'

/** How long a frame may take to start, in milliseconds. */
const START_TIMEOUT_MS = 15_000

export interface FrameOptions {
  /** The origin of the frame, with a path if Railyard is served below one. */
  base: string
  session: string
  parameters: Readonly<Record<string, string>>
  /** The accessible name of the frame. */
  title: string
  /** Names the frame for frames of its own origin that look for it. */
  name?: string
  /** Follows the nonce in the fragment of the URL. */
  group?: string
  receive: (message: Record<string, unknown>) => void
}

export interface Frame {
  element: HTMLIFrameElement
  /** Messages that are sent before the frame has started are delivered then. */
  send(message: object): void
  /**
   * Settles when the frame has started: with the provider whose fields the page shows; null: the frame shows them.
   * Rejects with `not_ready` if it does not start, and with the frame's reason if there are no fields.
   */
  started: Promise<Provider | null>
  remove(): void
}

/**
 * Puts a frame of Railyard's origin into an element of the page. The first message of the frame is accepted if it
 * comes from this frame, from its origin, with the nonce of its URL; it brings one end of a channel, and every
 * other message goes through that.
 */
export function openFrame(place: Element, options: FrameOptions): Frame {
  const { base, session, parameters, title, name, group, receive } = options
  const { origin } = new URL(base)
  const nonce = randomNonce()
  const element = place.ownerDocument.createElement('iframe')
  const query = new URLSearchParams({ session, parent: location.origin, ...parameters })
  element.src = `${base}/elements/card?${query}#${nonce}${group ? `.${group}` : ''}`
  element.title = title
  if (name) element.name = name
  element.allow = ''
  element.referrerPolicy = 'strict-origin'
  element.style.cssText = 'border:0;width:100%;display:block;height:0'

  let port: MessagePort | undefined
  const waiting: object[] = []
  let start: ((provider: Provider | null) => void) | undefined
  let fail: ((error: Error) => void) | undefined
  const started = new Promise<Provider | null>((resolve, reject) => {
    start = resolve
    fail = reject
  })
  // a page that does not wait for it learns of a failure by its own calls
  started.catch(() => undefined)
  const timer = setTimeout(() => fail?.(new RailyardElementsError('not_ready')), START_TIMEOUT_MS)

  const hear = (event: MessageEvent) => {
    if (event.origin !== origin || event.source !== element.contentWindow || port) return
    const { data, ports } = event
    if (data?.railyard !== 'ready' || data.nonce !== `${nonce}${group ? `.${group}` : ''}` || !ports[0])
      return
    port = ports[0]
    port.onmessage = ({ data: message }) => {
      if (message?.kind === 'height')
        element.style.height = `${Math.min(Number(message.height) || 0, 2_000)}px`
      else receive(message)
    }
    for (const message of waiting.splice(0)) port.postMessage(message)
    clearTimeout(timer)
    if (data.refusal) fail?.(errorOf(data.refusal))
    else start?.(data.provider ?? null)
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
      fail?.(new RailyardElementsError('unmounted'))
    },
  }
}

/** 128 random bits. */
export const randomNonce = (): string =>
  Array.from(crypto.getRandomValues(new Uint8Array(16)), (byte) => byte.toString(16).padStart(2, '0')).join(
    '',
  )

/** The element of the page in which something is mounted. Throws if there is none. */
export function placeOf(target: string | Element): Element {
  const place = typeof target === 'string' ? document.querySelector(target) : target
  if (!place) throw new TypeError(`railyard: the page has no element ${String(target)}`)
  return place
}
