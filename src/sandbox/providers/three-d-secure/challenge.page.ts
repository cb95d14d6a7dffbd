import currencyCodes from 'currency-codes'
import { formatPrice } from '../../../page/format.ts'
import { type Html, html } from '../../../page/html.ts'
import { pageDocument } from '../../page/page-document.ts'
import type { Challenge } from './issuer.ts'
import { returnScript } from './return-script.ts'

/**
 * The challenge page. Forms are posted to `action`; `session` is the merchant's data, which goes back
 * unchanged.
 */
export type ChallengePage =
  | { state: 'open'; challenge: Challenge; action: string; session: string; isWrongCode: boolean }
  | { state: 'decided'; challenge: Challenge; cres: string; session: string }
  | { state: 'unknown' }

/** The one-time code that a real issuer would send to the cardholder's phone. */
export const oneTimeCode = '123456'

/** The page of the card's issuer. It works without scripts; everything that a merchant wrote is escaped. */
export function challengePage(page: ChallengePage): string {
  const title = titleOf(page)
  return pageDocument({
    provider: 'Your bank',
    mark,
    title,
    main: html`<div class="intro"><h1>${title}</h1>${intro(page)}</div>${steps(page)}`,
    footer:
      page.state === 'open' &&
      'This page stands for the one of the bank that issued the card. Nothing is sent to any phone.',
    ...(page.state === 'decided' && { script: returnScript }),
  })
}

const mark = html`<svg viewBox="0 0 24 24" aria-hidden="true"><path d="M12 2 2 7v2h20V7L12 2ZM4 11v7h3v-7H4Zm6.5 0v7h3v-7h-3ZM17 11v7h3v-7h-3ZM2 20v2h20v-2H2Z"/></svg>`

function titleOf(page: ChallengePage): string {
  if (page.state === 'unknown') return 'There is no such confirmation'
  if (page.state === 'decided')
    return page.challenge.decision?.transStatus === 'Y'
      ? 'You confirmed that it is you'
      : 'This was not confirmed'
  if (page.challenge.expected === 'timeout') return 'Your bank does not answer'
  return page.challenge.purchase ? 'Confirm your payment' : 'Confirm your card'
}

function intro(page: ChallengePage): Html {
  if (page.state === 'unknown')
    return html`<p class="note bad" role="status">The link may be incomplete, or it belongs to another sandbox.</p>`
  if (page.state === 'decided')
    return html`<p class="note" role="status">You are on your way back to ${page.challenge.merchant}.</p>`
  if (page.challenge.expected === 'timeout')
    return html`<p class="note bad" role="status">Nothing will come of this: the scenario that this payment matched has its bank never answer. Close this page;
the payment ends when the time for its approval is over.</p>`
  return html`${page.isWrongCode && html`<p class="note bad" role="alert">This code is wrong. Try again.</p>`}
<p class="soft">${page.challenge.merchant} asks your bank whether it is you.</p>`
}

function steps(page: ChallengePage): Html | null {
  if (page.state === 'unknown') return null
  if (page.state === 'decided') return html`<div class="steps">${returnForm(page)}</div>`
  const { challenge } = page
  return html`${summary(challenge)}${challenge.expected !== 'timeout' && html`<div class="steps">${decision(page)}</div>`}`
}

function summary({ merchant, purchase, cardEnding }: Challenge): Html {
  const amount =
    purchase && formatPrice(purchase.amount, currencyCodes.number(purchase.currency)?.code ?? 'XXX', 'en')
  return html`<section class="summary card" aria-labelledby="summary">
<h2 id="summary">What you confirm</h2>
<dl class="sums">
<div><dt>Merchant</dt><dd>${merchant}</dd></div>
<div><dt>Card</dt><dd>ends in ${cardEnding}</dd></div>
${amount && html`<div class="due"><dt>Amount</dt><dd>${amount}</dd></div>`}
</dl>
</section>`
}

function decision({
  challenge: { expected },
  action,
  session,
}: Extract<ChallengePage, { state: 'open' }>): Html {
  const declines = expected === 'N'
  const confirmLook = !declines && html` class="primary"`
  const declineLook = declines && html` class="primary"`
  return html`<section class="card" aria-label="Your decision">
<p class="soft" id="hint">The sandbox’s code is ${oneTimeCode}. ${expected !== null && `The scenario of this payment has its bank ${declines ? 'refuse it, whatever you enter' : 'agree'}.`}</p>
<form method="post" action="${action}">
<input type="hidden" name="threeDSSessionData" value="${session}">
<div class="fields"><label>One-time code<input name="code" inputmode="numeric" autocomplete="one-time-code" maxlength="6" aria-describedby="hint" required${!declines && html` value="${oneTimeCode}"`}></label></div>
<button type="submit" name="decision" value="confirm"${confirmLook}>Confirm</button>
<button type="submit" name="decision" value="decline" formnovalidate${declineLook}>Decline</button>
</form>
</section>`
}

const returnForm = ({
  challenge,
  cres,
  session,
}: Extract<
  ChallengePage,
  { state: 'decided' }
>): Html => html`<form method="post" action="${challenge.notificationURL}">
<input type="hidden" name="cres" value="${cres}">
<input type="hidden" name="threeDSSessionData" value="${session}">
<button type="submit" class="primary">Return to ${challenge.merchant}</button>
</form>`
