import { prepareFields } from './card-fields.js'
import { holdCard } from './card-holder.js'
import { choicesOf, isCard, methodList, part, tell } from './checkout-methods.js'
import { browserInfo, newAttempt, payOnce, refusalOf, sender, termsOf } from './checkout-payment.js'
import { applyStyle, connectPage, isMessage, reportHeight, shortText } from './frame.js'
import { giftCards } from './gift-cards.js'
import { runThreeDSMethod } from './three-ds-method.js'
import { walletButtons } from './wallets.js'

/**
 * @typedef {{ kind: string, [member: string]: unknown }} PageResult What the page is told of a payment.
 * @typedef {{ status: string, intent_outcome: string, error_code: string | null }} Decided
 */

/** The codes of errors that leave an attempt open. */
const OFFLINE = 'offline'

/**
 * Shows the ways to pay and pays with the chosen one, once. The token comes from the page through the channel and
 * stays in memory.
 * @param {import('./frame.js').CheckoutFrameConfig} config
 */
export function startCheckout(config) {
  const { words, advice, returned, approvals, takesCards, runsThreeDSMethod } = config.checkout
  let token = ''
  let country = ''
  let returnUrl = ''
  /** A payment whose answer is missing. @type {import('./checkout-payment.js').Attempt | undefined} */
  let open
  /** What was paid under the token: nothing else is, until another token comes. @type {PageResult | undefined} */
  let made
  let isPaying = false
  /** What the open sheet of a digital wallet pays: the buyer approves its amount. @type {object | undefined} */
  let sheet
  const isLocked = () => isPaying || Boolean(sheet ?? open ?? made)
  let told = ''

  const tellPage = connectPage(config, hearPage)
  const send = sender(config.api, () => token)
  const methods = methodList(() => {
    tell('trouble', '')
    tellChange()
  })
  const gifts = giftCards(config.checkout, send, () => termsOf(token), tellChange)
  const wallets = walletButtons(config.checkout, {
    domain: new URL(config.parent).hostname,
    send,
    open() {
      if (isLocked()) return undefined
      setSheet({ ...commonMembers(), ...termsOf(token) })
      tell('trouble', '')
      return walletTerms()
    },
    async pay(method) {
      const body = { ...sheet, payment_method: { ...method, redirect_url: returnedUrl() } }
      setSheet(undefined)
      const { kind } = await settle(async () => ({ body }))
      return kind === 'paid'
    },
    close: () => setSheet(undefined),
    fail() {
      setSheet(undefined)
      tell('trouble', words.troubles.failed)
    },
  })
  const fields = prepareFields(
    config,
    {
      value: (name, text) => holder.set(name, text),
      focus: (name, isFocused) => holder.focus(name, isFocused),
    },
    tellPage,
  )
  const holder = holdCard(
    config,
    (message) => fields.hear(message),
    () => tellChange(),
  )
  reportHeight(tellPage)
  for (const input of document.querySelectorAll('input')) input.value = ''

  function tellChange() {
    const choice = methods.chosen()
    const isCovered = gifts.payAll()
    part('methods').hidden = !choice || isCovered
    methods.lock(isLocked())
    wallets.update(isLocked(), gifts.left() > 0)
    const state = {
      method: isCovered ? 'gift-card' : (choice?.method ?? null),
      complete:
        !made &&
        (Boolean(open) ||
          isCovered ||
          (choice !== undefined && (choice.kind !== 'card' || holder.isComplete()))),
    }
    const text = JSON.stringify(state)
    if (text === told) return
    told = text
    tellPage({ kind: 'change', ...state })
  }

  /** Asks for the ways to pay under the token. */
  async function load() {
    const asked = token
    const { currency } = termsOf(token) ?? {}
    const query = new URLSearchParams({
      sort_by: 'last_used_at',
      ...(country && { country }),
      ...(currency && { currency }),
    })
    const [options, stored] = await Promise.all([
      send('POST', '/payment-options', { locale: words.lang, ...(country && { country }) }),
      send('GET', `/buyers/payment-methods?${query}`),
    ])
    // another token has come meanwhile
    if (asked !== token) return
    if (options?.status !== 200 || stored?.status !== 200) {
      const failure = [options, stored].find((answer) => answer?.status !== 200)
      const code = failure ? refusalOf(failure) : OFFLINE
      tell('note', '')
      tell('trouble', code === 'token_refused' ? words.troubles.over : words.troubles.failed)
      tellPage({ kind: 'error', code })
      return
    }
    const choices = choicesOf(options.body.items, stored.body.items, config.checkout, country !== '')
    tell('note', '')
    tell('trouble', '')
    methods.show(choices)
    gifts.show()
    if (!takesCards && options.body.items.some(isCard)) tellPage({ kind: 'error', code: 'no_card_fields' })
    void wallets.show(options.body.items, walletTerms()).then(() => {
      if (asked === token && choices.length === 0 && wallets.isEmpty()) tell('note', words.none)
      tellChange()
    })
    tellPage({ kind: 'ready' })
    tellChange()
  }

  /** The members of every payment. */
  function commonMembers() {
    const gift_cards = gifts.paying()
    return {
      ...(country && { country }),
      ...(gift_cards.length > 0 && { gift_cards }),
      browser_info: browserInfo(),
    }
  }

  /** Where the card's issuer sends the buyer back to: its page may be in a dialog, so it is a page of ours. */
  const returnedUrl = () =>
    `${returned}?${new URLSearchParams({ parent: config.parent, to: returnUrl, locale: words.lang })}`

  /** The payment of what is chosen. @returns {Promise<{ body: object } | { code: string }>} */
  async function chosenPayment() {
    const choice = methods.chosen()
    const common = commonMembers()
    if (gifts.payAll()) return { body: common }
    if (!choice) return { code: 'incomplete' }
    const redirect_url = returnedUrl()
    if (choice.kind === 'stored')
      return { body: { ...common, payment_method: { method: 'id', id: choice.id, redirect_url } } }
    if (choice.kind === 'redirect') {
      const { currency } = termsOf(token) ?? {}
      const payment_method = { method: choice.method, country, currency, redirect_url: returnUrl }
      return { body: { ...common, payment_method } }
    }
    const code = await holder.store()
    if (code) return { code }
    if (runsThreeDSMethod) await runThreeDSMethod(config, send, holder.session())
    const payment_method = { method: 'checkout-session', id: holder.session(), redirect_url }
    return { body: { ...common, payment_method } }
  }

  /** @param {typeof chosenPayment} readPayment @returns {Promise<PageResult>} */
  async function pay(readPayment) {
    if (!open) {
      const payment = await readPayment()
      if ('code' in payment) return { kind: 'failed', code: payment.code }
      open = newAttempt(payment.body)
    }
    const paid = await payOnce(send, open)
    if ('code' in paid) {
      if (paid.code !== OFFLINE) open = undefined
      return { kind: 'failed', code: paid.code }
    }
    open = undefined
    const { id, status, payment_method } = paid.transaction
    if (status !== 'buyer_approval_pending') return outcome(id, paid.transaction)
    const url = String(payment_method?.approval_url)
    if (!url.startsWith(approvals) || !url.endsWith('/challenge')) return { kind: 'redirect', url }
    const decided = await challenge(url)
    return decided === 'leave' ? { kind: 'redirect', url } : outcome(id, decided)
  }

  /**
   * A payment that was taken back, since a gift card was refused, has failed, too.
   * @param {string} id
   * @param {Decided} decided
   * @returns {PageResult}
   */
  function outcome(id, { status, intent_outcome, error_code }) {
    if (status !== 'authorization_failed' && intent_outcome !== 'failed') {
      gifts.clear()
      return { kind: 'paid', transaction: { id, status } }
    }
    const code = error_code ?? ''
    return {
      kind: 'failed',
      code: 'declined',
      advice: advice[code] ?? (code.startsWith('flow_') ? 'other' : 'later'),
    }
  }

  /** The dialog with the issuer's page, which the page opens. @type {((port: MessagePort) => void) | undefined} */
  let joinDialog
  /** The page cannot show a dialog, or the buyer has closed it. @type {((message: 'leave' | 'cancel') => void) | undefined} */
  let hearDialog

  /**
   * Has the card's issuer ask the buyer, in a dialog of the page. What the issuer's page says is not believed:
   * Railyard is asked for the outcome.
   * @param {string} url
   * @returns {Promise<Decided | 'leave'>}
   */
  async function challenge(url) {
    const path = `/elements/approvals/${url.slice(approvals.length, -'/challenge'.length)}`
    const shown = await send('GET', path)
    if (shown?.status !== 200) return 'leave'
    if (!shown.body.challenge) return shown.body
    /** @type {'returned' | 'cancel' | 'leave'} */
    const end = await new Promise((resolve) => {
      hearDialog = resolve
      joinDialog = (port) => {
        port.onmessage = ({ data }) => {
          const kind = isMessage(data) ? data['kind'] : null
          if (kind === 'returned' || kind === 'cancel' || kind === 'leave') resolve(kind)
        }
        port.postMessage({ kind: 'challenge', ...shown.body.challenge })
      }
      tellPage({ kind: 'challenge', title: words.challenge.title })
    })
    joinDialog = undefined
    hearDialog = undefined
    tellPage({ kind: 'challenge-end' })
    if (end === 'leave') return 'leave'
    const decided = end === 'returned' ? await send('GET', path) : undefined
    if (decided?.status === 200 && decided.body.status !== 'buyer_approval_pending') return decided.body
    // the buyer gave up: nothing may be charged later
    const canceled = await send('POST', `${path}/cancel`, {})
    return canceled?.status === 200
      ? canceled.body
      : { status: 'processing', intent_outcome: 'pending', error_code: null }
  }

  async function confirm() {
    // the result of a payment under way is that of this call, too
    if (isPaying) return
    if (made) tellPage(made)
    else if (sheet) tellPage({ kind: 'failed', code: 'busy' })
    else await settle(chosenPayment)
  }

  /** Pays, and tells the buyer and the page. @param {typeof chosenPayment} readPayment */
  async function settle(readPayment) {
    isPaying = true
    tell('trouble', '')
    tellChange()
    const result = await pay(readPayment)
    isPaying = false
    if (result.kind === 'paid') made = result
    tell('trouble', troubleOf(result))
    tellPage(result)
    tellChange()
    return result
  }

  function walletTerms() {
    const terms = termsOf(token)
    return terms && { ...terms, amount: gifts.left(), country }
  }

  /** @param {object | undefined} paying */
  function setSheet(paying) {
    sheet = paying
    tellChange()
  }

  /** @param {any} result */
  function troubleOf({ code, advice: name }) {
    if (code === undefined || code === 'incomplete') return ''
    /** @type {Record<string, string>} */
    const troubles = {
      declined: Reflect.get(words.declined, name),
      offline: words.troubles.offline,
      refused: words.troubles.refused,
      too_many_requests: words.troubles.tooMany,
      session_expired: words.troubles.over,
      token_refused: words.troubles.over,
    }
    return troubles[code] ?? words.troubles.failed
  }

  /** @param {Record<string, unknown>} message */
  function hearPage(message) {
    const { kind } = message
    if (kind === 'style') applyStyle(message['style'])
    else if (kind === 'confirm') void confirm()
    else if (kind === 'focus') methods.focus()
    else if (kind === 'terms') {
      const next = shortText(message['token'], 8_000) ?? ''
      if (next !== token) made = undefined
      token = next
      country = shortText(message['country'], 2) ?? ''
      returnUrl = shortText(message['returnUrl'], 1_500) ?? ''
      void load()
    } else if (kind === 'no-dialog') hearDialog?.('leave')
    else if (kind === 'dialog-closed') hearDialog?.('cancel')
    else if (kind === 'session') holder.hearPage(message)
  }

  addEventListener('message', ({ origin, data, ports: [port] }) => {
    if (origin === location.origin && isMessage(data) && data['railyard'] === 'challenge' && port)
      joinDialog?.(port)
  })
}
