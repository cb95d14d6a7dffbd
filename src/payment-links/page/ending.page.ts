import { type Html, html } from '../../page/html.ts'
import { signs } from './icons.ts'
import type { Order } from './order.ts'
import { outcomeOf } from './outcome.ts'
import type { PayState } from './state.ts'
import type { Words } from './words/words.ts'

/** What stands on a page of a link that cannot be paid now. `way`: further buttons. */
export interface Ending {
  title: string
  text: string
  sign: keyof typeof signs
  way?: Html | null
}

/** The pages of a link between a payment and its outcome, and after it. */
export function endingOf(state: Exclude<PayState, { state: 'open' | 'declined' }>, order: Order, words: Words): Ending {
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
        ...outcomeOf(state.payment, order, words),
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
export const unavailable = ({ merchant }: Order, words: Words): Ending => ({
  title: words.unavailable.title,
  text: words.unavailable.text(merchant),
  sign: 'bad',
})

export const endingParts = ({ title, text, sign, way }: Ending): Html => html`<section class="card ending ${sign}" aria-labelledby="title">
${signs[sign]}
<h1 id="title">${title}</h1>
<p role="status">${text}</p>
${way && html`<div class="ways">${way}</div>`}
</section>`
