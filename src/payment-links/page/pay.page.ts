import type { DeclineAdvice } from '../../checkout/decline-advice.ts'
import { schemeName } from '../../elements/card-schemes.ts'
import { type Html, html } from '../../page/html.ts'
import type { PaymentMethodSummary } from '../../vault/payment-methods/payment-method.schema.ts'
import { applePayButton } from './apple-pay.ts'
import { lock, methodIcon } from './icons.ts'
import type { Order } from './order.ts'
import type { PaymentChoices } from './payment-choices.ts'
import type { Words } from './words/words.ts'

/** The content of the form. */
export interface PayForm extends PaymentChoices {
  asksName: boolean
  /** The card is stored after the payment. */
  keepsCard: boolean
  /** Null: Google Pay is not offered. */
  googlePayPlace: Html | null
  /** The advice after an attempt that failed; null: there was none. */
  declined: DeclineAdvice | null
}

/**
 * What the script needs, as attributes of the body: its texts, and where Railyard serves card fields.
 */
export const payData = ({ lang, name, troubles, declined, paying }: Words, elements: string): Html =>
  html` data-words="${JSON.stringify({ lang, nameMissing: name.missing, troubles, declined, paying })}" data-elements="${elements}"`

/** The page on which a buyer pays. */
export function payParts(order: Order, payForm: PayForm, words: Words): Html {
  return html`<div class="about">
<div class="intro">
<h1>${words.payTitle(order.merchant)}</h1>
<p class="total">${order.amount}</p>
${order.message !== null && html`<p class="message">${order.message}</p>`}
</div>
${order.lines.length > 0 && summary(order, words)}
</div>
<section class="card" aria-labelledby="ways">
<h2 id="ways">${words.payWith}</h2>
<p id="notice" class="notice" role="alert" tabindex="-1"${!payForm.declined && html` hidden`}>${
    payForm.declined &&
    html`<strong>${words.declined.title}</strong><span>${words.declined[payForm.declined]}</span>`
  }</p>
<noscript><p class="notice">${words.noScript}</p></noscript>
<div id="wallets" class="wallets">${payForm.applePay && applePayButton(payForm.applePay)}${payForm.googlePayPlace}</div>
${form(order, payForm, words)}
<p class="private">${lock}<span>${words.private(order.merchant)}</span></p>
</section>`
}

function summary({ lines, amount }: Order, words: Words): Html {
  return html`<section class="summary" aria-labelledby="order">
<h2 id="order">${words.order}</h2>
<ul class="lines">${lines.map(
    ({ name, quantity, amount: value }) =>
      html`<li><span>${name}${quantity !== 1 && html`<small>${words.quantity(quantity)}</small>`}</span><span class="amount">${value}</span></li>`,
  )}</ul>
<p class="due"><span>${words.total}</span><span class="amount">${amount}</span></p>
</section>`
}

/** One choice of the form. */
interface PaymentWay {
  /** The value of its radio button. */
  option: string
  method: string
  /** The text of the pay button while it is chosen. */
  button: string
  label: Html
  /** Shown below the label while it is chosen. */
  more: Html | null
}

function form(order: Order, payForm: PayForm, words: Words): Html {
  const ways = paymentWaysOf(order, payForm, words)
  const isOnly = ways.length === 1 && ways[0]?.option === 'card'
  return html`<form id="pay" novalidate>
${
  isOnly
    ? ways.map(
        (way) =>
          html`<input type="hidden" name="option" value="${way.option}" data-option="${way.option}" data-label="${way.button}">${way.more}`,
      )
    : html`<fieldset class="choices" aria-labelledby="ways">${ways.map(wayParts)}</fieldset>`
}
<button type="submit" id="submit" class="button primary" disabled>${ways[0]?.button}</button>
${order.isReserved && html`<p class="soft">${words.reserves(order.merchant)}</p>`}
${
  order.terms &&
  html`<p class="accept"><a href="${order.terms}" target="_blank" rel="noopener noreferrer">${words.acceptTerms(order.merchant)}<span class="unseen"> ${words.newTab}</span></a></p>`
}
</form>`
}

function paymentWaysOf(
  order: Order,
  { options, stored, asksName, keepsCard }: PayForm,
  words: Words,
): PaymentWay[] {
  const pay = order.isFree ? words.confirm : words.pay(order.amount)
  const ofStored = stored.map((method) => ({
    option: `stored:${method.id}`,
    method: method.mode === 'card' ? 'card' : method.method,
    button: pay,
    label: storedLabel(method, words),
    more: null,
  }))
  const ofOptions = options.map(({ method, mode, label }): PaymentWay => {
    const name = label ?? method
    if (mode !== 'card')
      return {
        option: method,
        method,
        button: words.goOn(name),
        label: html`<span>${name}</span>`,
        more: html`<p class="soft">${words.redirectHint(name)}</p>`,
      }
    return {
      option: 'card',
      method,
      button: pay,
      label: html`<span>${stored.length > 0 ? words.otherCard : name}</span>`,
      more: cardForm(asksName, keepsCard ? words.keepsCard(order.merchant) : null, words),
    }
  })
  return [...ofStored, ...ofOptions]
}

const wayParts = (
  { option, method, button, label, more }: PaymentWay,
  index: number,
): Html => html`<div class="way">
<label class="choice"><input type="radio" name="option" value="${option}" data-option="${option}" data-label="${button}"${index === 0 && html` checked`}>${methodIcon(method)}${label}</label>
${more && html`<div class="more">${more}</div>`}
</div>`

function storedLabel(
  { method, mode, label, scheme, expiration_date: date }: PaymentMethodSummary,
  words: Words,
): Html {
  if (mode !== 'card') return html`<span>${label ?? method}</span>`
  return html`<span>${scheme && schemeName(scheme)} <span aria-hidden="true">••••</span><span class="unseen">${words.storedCard.ending}</span> ${label}
${date !== null && html`<small>${words.storedCard.expires(date)}</small>`}</span>`
}

/**
 * The card's fields are in Railyard's frame (`src/elements`), which the script shows in `#card`. The input has no
 * `name`, so that no browser sends it by itself.
 */
const cardForm = (asksName: boolean, storageNotice: string | null, { name }: Words): Html =>
  html`<div class="fields">
<div id="card"></div>
${
  asksName &&
  html`<div class="field name">
<label for="name">${name.label}</label>
<input id="name" type="text" autocomplete="cc-name" maxlength="200" spellcheck="false" autocapitalize="words" aria-required="true" aria-describedby="name-mistake">
<p id="name-mistake" class="mistake" hidden></p>
</div>`
}
${storageNotice !== null && html`<p class="soft">${storageNotice}</p>`}
</div>`
