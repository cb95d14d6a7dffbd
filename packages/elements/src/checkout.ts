import type { ElementContext } from './card.ts'
import { declined, errorOf, RailyardElementsError } from './error.ts'
import { type Frame, openFrame, placeOf, randomNonce } from './frame.ts'
import { announce } from './holder.ts'
import { createListeners } from './listeners.ts'
import type { CardStyle, CheckoutChange, CheckoutEvents, ConfirmedPayment } from './messages.ts'

export interface CheckoutOptions {
  style?: CardStyle
  /** BCP 47; else the browser's. */
  locale?: string
  /** Of the payment, ISO 3166-1 alpha-2. Methods that send the buyer to a page of their own need it. */
  country?: string
  /** Where such methods send the buyer back to. Default: this page. */
  returnUrl?: string
  /** Asks for the postal code of the billing address. Default false. */
  postalCode?: boolean
}

/** The ways to pay that Railyard allows for the token, in one frame. */
export interface CheckoutElement {
  /** Shows the checkout in an element of the page, or the first that a selector finds. */
  mount(place: string | Element): void
  unmount(): void
  /** Adds a listener; answers a function that removes it. */
  on<Name extends keyof CheckoutEvents>(
    name: Name,
    listener: (event: CheckoutEvents[Name]) => void,
  ): () => void
  /**
   * Pays with the chosen method, once: a second call while the first is under way gets its result. Where the
   * buyer has to approve at another page, this page goes there, and the result is in the return URL. Rejects with a
   * `RailyardElementsError`; after `declined` the buyer can try again.
   */
  confirm(): Promise<{ transaction: ConfirmedPayment }>
  update(options: { style: CardStyle }): void
  focus(): void
}

interface Confirmation {
  promise: Promise<{ transaction: ConfirmedPayment }>
  resolve: (paid: { transaction: ConfirmedPayment }) => void
  reject: (error: Error) => void
}

export function createCheckout(context: ElementContext, options: CheckoutOptions = {}): CheckoutElement {
  const { locale, country, returnUrl = location.href } = options
  const token = context.token()
  if (!token) throw new TypeError('railyard: a checkout needs the option token of loadRailyard')
  const listeners = createListeners<CheckoutEvents>()
  let { style } = options
  let frame: Frame | undefined
  let dialog: { remove(): void } | undefined
  let confirmation: Confirmation | undefined
  let forget: (() => void) | undefined
  const language: Record<string, string> = locale ? { locale } : {}

  const settle = (end: (confirmation: Confirmation) => void) => {
    const settled = confirmation
    confirmation = undefined
    if (settled) end(settled)
  }
  const fail = (error: Error) => settle(({ reject }) => reject(error))

  /** Sends this page to the page where the buyer approves. A browser may show this page again without loading it. */
  function leave(url: string): void {
    const target = URL.canParse(url) ? new URL(url) : undefined
    if (target?.protocol !== 'https:' && target?.protocol !== 'http:') {
      fail(errorOf('failed'))
      return
    }
    addEventListener('pageshow', ({ persisted }) => persisted && fail(declined('unconfirmed')), {
      once: true,
    })
    location.assign(target.href)
  }

  function receive(message: Record<string, unknown>, opened: Frame, group: string): void {
    const { kind } = message
    if (kind === 'change') {
      const { method, complete } = message as unknown as CheckoutChange
      listeners.emit('change', { method, complete })
    } else if (kind === 'ready') listeners.emit('ready', undefined)
    else if (kind === 'enter') listeners.emit('submit', undefined)
    else if (kind === 'error') listeners.emit('error', errorOf(message['code']))
    else if (kind === 'paid') {
      const { id, status } = message['transaction'] as ConfirmedPayment
      settle(({ resolve }) => resolve({ transaction: { id, status } }))
    } else if (kind === 'failed')
      fail(message['code'] === 'declined' ? declined(message['advice']) : errorOf(message['code']))
    else if (kind === 'redirect') leave(String(message['url']))
    else if (kind === 'challenge') {
      dialog?.remove()
      dialog = openDialog(context, { group, language, style }, (end) => opened.send({ kind: end }))
    } else if (kind === 'challenge-end') {
      dialog?.remove()
      dialog = undefined
    }
  }

  const element: CheckoutElement = {
    mount(place) {
      element.unmount()
      const group = randomNonce()
      const opened = openFrame(placeOf(place), {
        base: context.base,
        session: context.session(),
        parameters: {
          view: 'checkout',
          fields: `number,expiry,code${options.postalCode ? ',postalCode' : ''}`,
          ...language,
        },
        title: 'Checkout',
        name: `railyard-${group}`,
        group,
        receive: (message) => receive(message, opened, group),
      })
      frame = opened
      if (style) opened.send({ kind: 'style', style })
      const sendTerms = () =>
        opened.send({
          kind: 'terms',
          token: context.token(),
          country,
          returnUrl: new URL(returnUrl, location.href).href,
        })
      sendTerms()
      forget = context.onSession((session) => {
        opened.send({ kind: 'session', session })
        sendTerms()
      })
      announce(opened, (error) => listeners.emit('error', error))
    },
    unmount() {
      forget?.()
      dialog?.remove()
      frame?.remove()
      frame = dialog = undefined
      fail(new RailyardElementsError('unmounted'))
    },
    on: listeners.on,
    confirm() {
      if (confirmation) return confirmation.promise
      const opened = frame
      if (!opened) return Promise.reject(new RailyardElementsError('unmounted'))
      let settlers: Omit<Confirmation, 'promise'> | undefined
      const promise = new Promise<{ transaction: ConfirmedPayment }>((resolve, reject) => {
        settlers = { resolve, reject }
      })
      if (settlers) confirmation = { promise, ...settlers }
      opened.started.then(() => opened.send({ kind: 'confirm' }), fail)
      return promise
    },
    update(changed) {
      style = { ...style, ...changed.style }
      frame?.send({ kind: 'style', style })
    },
    focus() {
      frame?.element.focus()
      frame?.send({ kind: 'focus' })
    },
  }
  return element
}

/** How the dialog tells the checkout that it cannot be shown, or that the buyer has closed it. */
type DialogEnd = 'no-dialog' | 'dialog-closed'

/** Shows the page of the card's issuer in a dialog of this page. */
function openDialog(
  context: ElementContext,
  {
    group,
    language,
    style,
  }: { group: string; language: Record<string, string>; style: CardStyle | undefined },
  end: (message: DialogEnd) => void,
): { remove(): void } | undefined {
  const dialog = document.createElement('dialog')
  if (!dialog.showModal) {
    end('no-dialog')
    return undefined
  }
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
    title: 'Confirm your payment',
    group,
    receive: () => undefined,
  })
  opened.element.style.height = '100%'
  if (style) opened.send({ kind: 'style', style })
  opened.started.catch(() => end('no-dialog'))
  return {
    remove() {
      opened.remove()
      dialog.remove()
    },
  }
}
