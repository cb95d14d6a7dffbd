import { adviceByErrorCode } from '../checkout/decline-advice.ts'
import { currencyDigits } from '../page/format.ts'
import { html } from '../page/html.ts'
import { schemeNames } from '../vault/payment-methods/card-scheme-definition.ts'
import { checkoutPartAsset, checkoutScriptAsset, checkoutStyleAsset, servedScript } from './assets.ts'
import {
  type CardFieldName,
  cardConfig,
  cardFields,
  type ElementsFrame,
  frameConfig,
  frameDocument,
} from './card.page.ts'
import type { CheckoutWallets } from './checkout-wallets.ts'
import type { CardWords } from './words/card-words.ts'
import type { CheckoutWords } from './words/checkout-words.ts'

export interface CheckoutFrame extends ElementsFrame {
  /** Empty: there is no card form for the session's payment service. */
  fields: readonly CardFieldName[]
  cardWords: CardWords
  words: CheckoutWords
  /** Where the card's issuer sends the buyer back to: `/elements/returned` of this account. */
  returned: string
  /** The URL of links for a buyer's approval. */
  publicUrl: string
  /** A payment service may want the card's issuer to authenticate the buyer. */
  runsThreeDSMethod: boolean
  /** The account has a gift card service. */
  takesGiftCards: boolean
  wallets: CheckoutWallets
}

const files = { script: checkoutScriptAsset, style: checkoutStyleAsset }

/**
 * The document of a checkout. The script fills in the payment methods; the card form is the one of card fields,
 * and is moved to the choice of a new card.
 */
export function checkoutDocument(frame: CheckoutFrame): string {
  const { fields, cardWords, words, base, returned, publicUrl, runsThreeDSMethod, takesGiftCards, wallets } =
    frame
  return frameDocument({
    ...files,
    view: 'checkout',
    lang: words.lang,
    title: words.title,
    base,
    config: {
      ...frameConfig('checkout', frame),
      ...cardConfig(fields, cardWords),
      checkoutPart: servedScript(checkoutPartAsset),
      checkout: {
        returned,
        approvals: `${publicUrl}/approvals/`,
        takesCards: fields.length > 0,
        runsThreeDSMethod,
        takesGiftCards,
        ...wallets,
        schemeNames,
        currencyDigits,
        advice: adviceByErrorCode,
        words,
      },
    },
    body: html`<main><h1 class="unseen">${words.title}</h1>
<form novalidate>
<p id="note" class="note" role="status">${words.loading}</p>
<div id="wallets" hidden></div>
<fieldset id="methods" hidden><legend>${words.payWith}</legend></fieldset>
<div id="card" class="fields" hidden>${cardFields(fields, cardWords)}</div>
${takesGiftCards && giftCardForm(words)}
<p id="trouble" class="mistake" role="alert" hidden></p>
<button type="submit" hidden></button>
</form></main>`,
  })
}

const giftCardForm = ({ giftCard }: CheckoutWords) => html`<details id="gift" hidden>
<summary>${giftCard.add}</summary>
<div class="fields">
<div class="field"><label for="gift-number">${giftCard.number}</label><input id="gift-number" type="text" inputmode="numeric" autocomplete="off" spellcheck="false" maxlength="30" aria-describedby="gift-mistake"></div>
<div class="field"><label for="gift-pin">${giftCard.pin}</label><input id="gift-pin" type="text" autocomplete="off" spellcheck="false" maxlength="20" aria-describedby="gift-mistake"></div>
<button type="button" id="gift-apply">${giftCard.apply}</button>
<p id="gift-mistake" class="mistake" role="alert" hidden></p>
</div>
</details>
<ul id="gifts" hidden></ul>
<p id="left" class="note" role="status"></p>`

/** The document of the dialog in which the card's issuer asks the buyer to confirm. */
export const challengeDocument = (frame: ElementsFrame, words: CheckoutWords): string =>
  frameDocument({
    ...files,
    view: 'challenge',
    lang: words.lang,
    title: words.challenge.title,
    base: frame.base,
    config: frameConfig('challenge', frame),
    body: html`<main><h1>${words.challenge.title}</h1>
<iframe name="issuer" title="${words.challenge.title}"></iframe>
<p><button type="button" id="cancel">${words.challenge.cancel}</button>
<button type="button" id="leave">${words.challenge.leave}</button></p>
</main>`,
  })

/** The hidden document that posts to the page of the card's issuer which sees the buyer's browser before a payment. */
export const methodDocument = (
  base: string,
  words: CheckoutWords,
  method: { url: string; data: string },
): string =>
  frameDocument({
    ...files,
    view: 'method',
    lang: words.lang,
    title: words.challenge.title,
    base,
    config: { view: 'method', method },
    // the issuer's page stays in its frame: no navigation of the window, no dialogs, no downloads
    body: html`<iframe name="issuer" title="${words.challenge.title}" sandbox="allow-forms allow-same-origin allow-scripts"></iframe>`,
  })

/**
 * The page to which the card's issuer sends the buyer back. In the dialog it tells the frame around it; in the
 * whole window it goes on to the merchant's page. `to`: that page's URL; undefined: it is not known.
 */
export const returnedDocument = (base: string, words: CheckoutWords, to: string | undefined): string =>
  frameDocument({
    ...files,
    view: 'returned',
    lang: words.lang,
    title: words.returned.title,
    base,
    config: { view: 'returned', to },
    body: html`<main><h1>${words.returned.title}</h1>
${to !== undefined && html`<p><a href="${to}">${words.returned.back}</a></p>`}
</main>`,
  })
