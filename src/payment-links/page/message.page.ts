import { type Html, html } from '../../page/html.ts'
import { statusIcons } from './icons.ts'
import type { LinkState } from './link-state.ts'
import type { Order } from './order.ts'
import { outcomeTextOf } from './outcome-text.ts'
import { receiptParts } from './receipt.ts'
import type { Words } from './words/words.ts'

/** The content of a page without a form. */
export interface PageMessage {
  title: string
  text: string
  icon: keyof typeof statusIcons
  buttons?: Html | null
  /** Below the buttons. */
  more?: Html
}

/**
 * The page of a link that cannot be paid now: while a payment is under way, after it, or after the link has
 * expired.
 */
export function pageMessageOf(
  state: Exclude<LinkState, { state: 'open' | 'declined' }>,
  order: Order,
  words: Words,
): PageMessage {
  const { merchant, merchantUrl } = order
  switch (state.state) {
    case 'processing':
      return { ...words.processing, icon: 'busy' }
    case 'approval':
      return {
        title: words.approval.title,
        text: words.approval.text,
        icon: 'waiting',
        buttons: html`<a class="button primary" href="${state.next}">${words.approval.goOn}</a>
<button type="button" class="button" id="other-way">${words.approval.otherWay}</button>`,
      }
    case 'completed': {
      const back = state.next ?? merchantUrl
      const buttons =
        back === null ? null : html`<a class="button primary" href="${back}">${words.backTo(merchant)}</a>`
      if (state.payment === null) {
        const { title, noLongerKept } = words.completed
        return { title, text: noLongerKept(merchant), icon: 'good', buttons }
      }
      const { amount, ...text } = outcomeTextOf(state.payment, order, words)
      return { ...text, more: receiptParts(state.payment, amount, words), buttons }
    }
    case 'expired':
      return { title: words.expired.title, text: words.expired.text(merchant), icon: 'bad' }
    case 'exhausted':
      return { title: words.exhausted.title, text: words.exhausted.text(merchant), icon: 'bad' }
  }
}

/** For a link that no payment option of the account can pay. */
export const unavailableMessage = ({ merchant }: Order, words: Words): PageMessage => ({
  title: words.unavailable.title,
  text: words.unavailable.text(merchant),
  icon: 'bad',
})

export const messageParts = ({
  title,
  text,
  icon,
  buttons,
  more,
}: PageMessage): Html => html`<section class="card ending ${icon}" aria-labelledby="title">
${statusIcons[icon]}
<h1 id="title">${title}</h1>
<p role="status">${text}</p>
${buttons && html`<div class="ways">${buttons}</div>`}
${more}
</section>`
