import { type Html, html } from '../../page/html.ts'
import { statusIcons } from './icons.ts'
import type { LinkState } from './link-state.ts'
import type { Order } from './order.ts'
import { outcomeTextOf } from './outcome-text.ts'
import type { Words } from './words/words.ts'

/** What stands on a page of a link that cannot be paid now. `way`: further buttons. */
export interface PageMessage {
  title: string
  text: string
  sign: keyof typeof statusIcons
  way?: Html | null
}

/** The pages of a link between a payment and its outcome, and after it. */
export function pageMessageOf(state: Exclude<LinkState, { state: 'open' | 'declined' }>, order: Order, words: Words): PageMessage {
  const { merchant, merchantUrl } = order
  switch (state.state) {
    case 'processing':
      return { ...words.processing, sign: 'busy' }
    case 'approval':
      return {
        title: words.approval.title,
        text: words.approval.text,
        sign: 'waiting',
        way: html`<a class="button primary" href="${state.next}">${words.approval.goOn}</a>
<button type="button" class="button" id="other-way">${words.approval.otherWay}</button>`,
      }
    case 'completed': {
      const back = state.next ?? merchantUrl
      return {
        ...outcomeTextOf(state.payment, order, words),
        way: back === null ? null : html`<a class="button primary" href="${back}">${words.backTo(merchant)}</a>`,
      }
    }
    case 'expired':
      return { title: words.expired.title, text: words.expired.text(merchant), sign: 'bad' }
    case 'exhausted':
      return { title: words.exhausted.title, text: words.exhausted.text(merchant), sign: 'bad' }
  }
}

/** Nothing that the account has takes this payment. */
export const unavailableMessage = ({ merchant }: Order, words: Words): PageMessage => ({
  title: words.unavailable.title,
  text: words.unavailable.text(merchant),
  sign: 'bad',
})

export const messageParts = ({ title, text, sign, way }: PageMessage): Html => html`<section class="card ending ${sign}" aria-labelledby="title">
${statusIcons[sign]}
<h1 id="title">${title}</h1>
<p role="status">${text}</p>
${way && html`<div class="ways">${way}</div>`}
</section>`
