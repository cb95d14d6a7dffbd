import { schemeName } from '../../elements/card-schemes.ts'
import { chooseCardWords } from '../../elements/words/choose.ts'
import { type Html, html } from '../../page/html.ts'
import type { PaymentMethodSummary } from '../../vault/payment-methods/payment-method.schema.ts'
import { applePayButton } from './apple-pay.ts'
import { lock, methodIcon } from './icons.ts'
import type { Order } from './order.ts'
import type { PaymentChoices } from './payment-choices.ts'
import type { DeclineAdvice, Words } from './words/words.ts'

/** The content of the form. */
export interface PayForm extends PaymentChoices {
  asksName: boolean
  /** The card is stored after the payment. */
  keepsCard: boolean
  /** The advice after an attempt that failed; null: there was none. */
  declined: DeclineAdvice | null
}

/** What the script needs, as attributes of the body. `elements`: the URL of the card fields. */
export function payData({ lang, troubles, declined, paying }: Words, elements: string): Html {
  const { title, mistakes } = chooseCardWords(lang, undefined)
  const texts = { troubles, declined, paying, cardTitle: title, nameMissing: mistakes.nameMissing }
  return html` data-words="${JSON.stringify(texts)}" data-elements="${elements}"`
}

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
${payForm.applePay && applePayButton(payForm.applePay)}
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
      more: cardFields(asksName, keepsCard ? words.keepsCard(order.merchant) : null, words),
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

/** The place of the frame with the card fields, and what belongs to them. */
function cardFields(asksName: boolean, storageNotice: string | null, words: Words): Html {
  return html`<div class="fields">
<div id="card"></div>
${asksName && nameField(chooseCardWords(words.lang, undefined).fields.name)}
${storageNotice !== null && html`<p class="soft">${storageNotice}</p>`}
</div>`
}

/** The input has no `name`, so that no browser sends it by itself. */
const nameField = (label: string): Html => html`<div class="field">
<label for="name">${label}</label>
<input id="name" type="text" autocomplete="cc-name" maxlength="200" spellcheck="false" autocapitalize="words" aria-required="true" aria-describedby="name-mistake">
<p id="name-mistake" class="mistake" hidden></p>
</div>`
