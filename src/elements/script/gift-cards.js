import { digitsOf } from './card-format.js'
import { element, filled, part, tell } from './checkout-methods.js'
import { decimalAmount } from './checkout-payment.js'

/**
 * The gift cards that pay a part, or everything: each is asked for its balance before it is used.
 * @param {import('./frame.js').CheckoutConfig} config
 * @param {import('./checkout-payment.js').Send} send
 * @param {() => { amount: number, currency: string } | undefined} termsNow
 * @param {() => void} changed
 */
export function giftCards(
  { words: { lang, giftCard: words }, takesGiftCards, currencyDigits },
  send,
  termsNow,
  changed,
) {
  /** @type {{ number: string, pin: string, balance: number, last4: string }[]} */
  let cards = []
  let isAsking = false

  /** What each card pays: as much as it can, in the order in which they were added. */
  function parts() {
    let left = termsNow()?.amount ?? 0
    return cards.map((card) => {
      const amount = Math.min(card.balance, left)
      left -= amount
      return { ...card, amount }
    })
  }
  const left = () => (termsNow()?.amount ?? 0) - parts().reduce((sum, { amount }) => sum + amount, 0)

  /** @param {number} amount */
  function price(amount) {
    const currency = termsNow()?.currency ?? 'XXX'
    const digits = currencyDigits[currency] ?? 2
    return new Intl.NumberFormat(lang, {
      style: 'currency',
      currency,
      minimumFractionDigits: digits,
      maximumFractionDigits: digits,
    }).format(Number(decimalAmount(amount, digits)))
  }

  function render() {
    const list = part('gifts')
    list.replaceChildren(
      ...parts().map(({ last4, amount, number }) => {
        const remove = element('button', { type: 'button', textContent: '×' })
        remove.setAttribute('aria-label', filled(words.remove, { digits: last4 }))
        remove.addEventListener('click', () => {
          cards = cards.filter((card) => card.number !== number)
          render()
          changed()
        })
        const line = element('li', {})
        line.append(filled(words.pays, { digits: last4, amount: price(amount) }), remove)
        return line
      }),
    )
    list.hidden = cards.length === 0
    tell('left', cards.length > 0 && left() > 0 ? filled(words.left, { amount: price(left()) }) : '')
  }

  async function apply() {
    if (isAsking) return
    const [numberField, pinField] = [field('gift-number'), field('gift-pin')]
    const card = { number: digitsOf(numberField.value), pin: pinField.value.trim() }
    tell('gift-mistake', '')
    const isKnown = cards.some(({ number }) => number === card.number)
    isAsking = true
    const answer =
      card.number.length >= 16 && card.number.length <= 19 && card.pin !== '' && !isKnown
        ? await send('POST', '/gift-cards/balances', { items: [card] })
        : { status: 400, body: {} }
    isAsking = false
    const found = answer?.status === 200 ? answer.body.items[0] : undefined
    const isOurs = !found?.currency || found.currency === termsNow()?.currency
    if (!found || found.balance === null || !isOurs || found.balance === 0) {
      tell('gift-mistake', found?.balance === 0 ? words.empty : words.refused)
      return
    }
    cards = [...cards, { ...card, balance: found.balance, last4: found.last4 }]
    numberField.value = ''
    pinField.value = ''
    part('gift').removeAttribute('open')
    part('gift').querySelector('summary')?.focus()
    render()
    changed()
  }

  if (takesGiftCards) {
    part('gift-apply').addEventListener('click', () => void apply())
    for (const id of ['gift-number', 'gift-pin'])
      field(id).addEventListener('keydown', (event) => {
        if (event.key !== 'Enter') return
        // otherwise the form would ask the page for the payment
        event.preventDefault()
        void apply()
      })
  }

  return {
    /** Shows the form once the amount is known. */
    show() {
      if (!takesGiftCards) return
      part('gift').hidden = termsNow() === undefined
      render()
    },
    /** The cards pay the whole amount. */
    payAll: () => cards.length > 0 && left() === 0,
    left,
    /** As a payment names them. */
    paying: () =>
      parts()
        .filter(({ amount }) => amount > 0)
        .map(({ number, pin, amount }) => ({ number, pin, amount })),
    clear() {
      cards = []
      if (takesGiftCards) render()
    },
  }
}

/** @param {string} id */
function field(id) {
  const input = part(id)
  if (!(input instanceof HTMLInputElement)) throw new Error(`${id} is no field`)
  return input
}
