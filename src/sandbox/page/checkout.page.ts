import { formatPrice } from '../../page/format.ts'
import { type Html, html } from '../../page/html.ts'
import { pageDocument } from './page-document.ts'

/** The content of a provider's approval page. All amounts are in the smallest unit of `currency`. */
export interface CheckoutPage {
  provider: 'Wallet' | 'Pay later' | 'Simulator'
  /** `unknown`: there is no such order. */
  state: 'open' | 'approved' | 'declined' | 'cancelled' | 'expired' | 'unknown'
  /** Absent if there is no such order. */
  order?: CheckoutOrder
  /** The merchant's URL to which the buyer returns, if known. */
  returnUrl?: string | undefined
  /** Set if the merchant's page opened this one in a new window and waits for its result. */
  popup?: Popup | undefined
}

export interface CheckoutOrder {
  /** Null if the provider has no name for the merchant. */
  merchant: string | null
  /** The locale of amounts, BCP 47, as the merchant requested. */
  locale: string
  currency: string
  amount: number
  lines: readonly { name: string; quantity: number; amount: number }[]
  /** The parts of the amount, if known. */
  breakdown: readonly { label: string; amount: number }[]
  /** The shipping address, one line per entry; null if there is none. */
  shipTo: readonly string[] | null
  /** The addresses that the buyer can choose; absent if there is no choice. */
  addresses?: readonly { id: string; lines: readonly string[]; chosen: boolean }[] | undefined
  options: readonly { id: string; label: string; amount: number; chosen: boolean }[]
  /** The reason why the buyer's choice is not possible, in the merchant's or the provider's words. */
  problem: string | null
  canApprove: boolean
  /** The label of the approval button, and what approving means. */
  approve: { label: string; meaning: string }
  /**
   * Decisions are posted to `{actions}/approve`, `…/decline`, `…/cancel`, `…/address` (`choice`, or a whole
   * address), `…/option` (`id`).
   */
  actions: string
}

export interface Popup {
  order: string
  /** The origin of the page that opened the window. */
  origin: string
}

/**
 * The page on which a buyer approves a payment. It works without scripts; everything that a merchant wrote is
 * escaped.
 */
export function checkoutPage(page: CheckoutPage): string {
  const { provider, state, order, popup } = page
  const title = state === 'open' && order ? `Pay ${nameOf(order)}` : endings[state].title
  const parts = state === 'open' && order ? openParts(page, order) : endParts(page)
  const ended = state !== 'open' && popup
  return pageDocument({
    provider,
    mark: marks[provider],
    title,
    main: parts,
    footer:
      order &&
      state === 'open' &&
      'This page stands for the one of a payment provider. “Decline” lets you see what happens when a payment is refused.',
    ...(ended && {
      data: html` data-result="${state}" data-order="${popup.order}" data-origin="${popup.origin}"`,
      script: resultScript,
    }),
  })
}

/**
 * Sends the result to the merchant's page, which closes the window: a message from a closed window has no
 * source.
 */
export const resultScript = `
const { result, order, origin } = document.body.dataset
window.opener?.postMessage({ from: 'railyard-sandbox', result, order }, origin)
`

const nameOf = ({ merchant }: CheckoutOrder) => merchant ?? 'the shop'

const marks: Record<CheckoutPage['provider'], Html> = {
  Wallet: html`<svg viewBox="0 0 24 24" aria-hidden="true"><path d="M4 5h14a2 2 0 0 1 2 2v1h-6a4 4 0 0 0 0 8h6v1a2 2 0 0 1-2 2H4a2 2 0 0 1-2-2V7a2 2 0 0 1 2-2Zm10 5h8v4h-8a2 2 0 0 1 0-4Z"/></svg>`,
  Simulator: html`<svg viewBox="0 0 24 24" aria-hidden="true"><path d="M4 5h16a2 2 0 0 1 2 2v10a2 2 0 0 1-2 2H4a2 2 0 0 1-2-2V7a2 2 0 0 1 2-2Zm0 4v2h16V9H4Z"/></svg>`,
  'Pay later': html`<svg viewBox="0 0 24 24" aria-hidden="true"><path d="M12 2a10 10 0 1 1 0 20 10 10 0 0 1 0-20Zm-1.25 4.5v6.1l4.6 3.1 1.4-2.1-3.5-2.3V6.5Z"/></svg>`,
}

function openParts({ provider, popup }: CheckoutPage, order: CheckoutOrder): Html {
  const amount = (value: number) => formatPrice(value, order.currency, order.locale)
  const action = (name: string) =>
    `${order.actions}/${name}${popup ? `?popup=${encodeURIComponent(popup.origin)}` : ''}`
  return html`<div class="intro">
<h1>Pay ${nameOf(order)}</h1>
<p class="total">${amount(order.amount)}</p>
${order.problem !== null && html`<p class="note bad" role="alert">${order.problem}</p>`}
</div>
${summary(order, amount)}
<div class="steps">
${delivery(order, action)}
${options(order, amount, action)}
${decisions(provider, order, action)}
</div>`
}

type Amount = (value: number) => string
type Action = (name: string) => string

function summary(order: CheckoutOrder, amount: Amount): Html {
  return html`<section class="summary card" aria-labelledby="summary">
<h2 id="summary">Your order</h2>
${
  order.lines.length > 0 &&
  html`<ul class="lines">${order.lines.map(
    ({ name, quantity, amount: value }) =>
      html`<li><span>${name}${quantity !== 1 && html`<small>Quantity ${quantity}</small>`}</span><span class="amount">${amount(value)}</span></li>`,
  )}</ul>`
}
<dl class="sums">
${order.breakdown.map(({ label, amount: value }) => html`<div><dt>${label}</dt><dd>${amount(value)}</dd></div>`)}
<div class="due"><dt>Total</dt><dd>${amount(order.amount)}</dd></div>
</dl>
</section>`
}

function delivery({ shipTo, addresses }: CheckoutOrder, action: Action): Html | null {
  if (!addresses)
    return (
      shipTo &&
      html`<section class="card" aria-labelledby="delivery">
<h2 id="delivery">Deliver to</h2>
<address>${shipTo.join('\n')}</address>
</section>`
    )
  return html`<section class="card" aria-label="Delivery address">
<form method="post" action="${action('address')}">
<fieldset>
<legend>Deliver to</legend>
${addresses.map(({ id, lines, chosen }) => choice('choice', id, chosen, html`<span>${lines[0]}<small>${lines.slice(1).join(', ')}</small></span>`))}
</fieldset>
<button type="submit">Use this address</button>
</form>
<details>
<summary>Enter another address</summary>
<form method="post" action="${action('address')}">
<div class="fields">${fields.map(
    ([name, label, autocomplete, longest]) =>
      html`<label>${label}<input name="${name}" autocomplete="${autocomplete}" maxlength="${longest}"${name !== 'admin_area_1' && html` required`}></label>`,
  )}</div>
<button type="submit">Use the new address</button>
</form>
</details>
</section>`
}

const fields = [
  ['address_line_1', 'Street and number', 'address-line1', 300],
  ['postal_code', 'Postal code', 'postal-code', 60],
  ['admin_area_2', 'City', 'address-level2', 120],
  ['admin_area_1', 'State or region (optional)', 'address-level1', 300],
  ['country_code', 'Country code, such as DE', 'country', 2],
] as const

function options({ options: all }: CheckoutOrder, amount: Amount, action: Action): Html | null {
  if (all.length === 0) return null
  return html`<section class="card" aria-label="Shipping">
<form method="post" action="${action('option')}">
<fieldset>
<legend>Shipping</legend>
${all.map(({ id, label, amount: value, chosen }) =>
  choice('id', id, chosen, html`<span>${label}</span><span class="amount">${amount(value)}</span>`),
)}
</fieldset>
<button type="submit">Use this shipping</button>
</form>
</section>`
}

const choice = (name: string, value: string, chosen: boolean, label: Html): Html =>
  html`<label class="choice"><input type="radio" name="${name}" value="${value}" required${chosen && html` checked data-applied`}>${label}</label>`

function decisions(provider: CheckoutPage['provider'], order: CheckoutOrder, action: Action): Html {
  const { approve, canApprove } = order
  const button = (decision: string, look: string, label: string) =>
    html`<form method="post" action="${action(decision)}"><button type="submit"${look && html` class="${look}"`}>${label}</button></form>`
  return html`<section class="card" aria-label="Your decision">
<p class="soft">${canApprove ? approve.meaning : `Choose a delivery that ${nameOf(order)} offers to go on.`}</p>
${
  canApprove &&
  html`<div class="deciding">${button('approve', 'primary', approve.label)}
${button('decline', '', provider === 'Wallet' ? 'Decline: pay with a card that is refused' : 'Decline: be refused')}</div>
<p class="undecided" role="status">Use the delivery that you have chosen first.</p>`
}
${button('cancel', 'quiet', `Cancel and return to ${nameOf(order)}`)}
</section>`
}

const endings: Record<CheckoutPage['state'], { title: string; text: string; look: string }> = {
  open: { title: 'Pay', text: '', look: '' },
  approved: {
    title: 'You approved this payment',
    text: 'There is nothing left to do here: the shop takes it from here.',
    look: 'good',
  },
  declined: {
    title: 'This payment was declined',
    text: 'Nothing was charged. The shop can offer you another way to pay.',
    look: 'bad',
  },
  cancelled: { title: 'You cancelled this payment', text: 'Nothing was charged.', look: '' },
  expired: {
    title: 'This payment has expired',
    text: 'Nothing was charged. Go back to the shop to start again.',
    look: '',
  },
  unknown: {
    title: 'There is no such payment',
    text: 'The link may be incomplete, or it belongs to another sandbox.',
    look: 'bad',
  },
}

function endParts({ state, order, returnUrl }: CheckoutPage): Html {
  const { title, text, look } = endings[state]
  return html`<div class="intro">
<h1>${title}</h1>
<p class="note ${look}" role="status">${text}</p>
${returnUrl && html`<a class="button primary" href="${returnUrl}">Return to ${order ? nameOf(order) : 'the shop'}</a>`}
</div>
${order && summary(order, (value) => formatPrice(value, order.currency, order.locale))}`
}
