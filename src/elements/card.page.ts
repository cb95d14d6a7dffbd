import { type Html, html } from '../page/html.ts'
import { scriptAsset, styleAsset } from './assets.ts'
import { schemesOfScript } from './card-schemes.ts'
import type { Provider } from './providers/types.d.ts'
import type { CardWords } from './words/card-words.ts'

/** What a page asks a frame to show: a whole card, one field of it, or nothing, for the frame that joins several fields. */
export const frameViews = ['card', 'field', 'coordinator'] as const
export const cardFieldNames = ['number', 'expiry', 'code', 'postalCode'] as const
export type CardFieldName = (typeof cardFieldNames)[number]

export interface CardFrame {
  view: (typeof frameViews)[number] | 'provider'
  /** Those that the frame shows; of a coordinator, those of the frames beside it. */
  fields: readonly CardFieldName[]
  /** The origin of the page. */
  parent: string
  /** The id of the checkout session. */
  session: string
  /** The URL below which the frame finds the API and its files: of the same origin as the frame. */
  base: string
  words: CardWords
  /** The page shows the fields of this provider; the frame shows nothing, and puts its tokens into the session. */
  provider?: Provider
  /** The code of the error with which the page shows no fields. */
  refusal?: 'no_card_fields'
}

/** The document of a frame with card fields. The inputs have no `name`, so that no browser sends them by itself. */
export function cardDocument(frame: CardFrame): string {
  const { view, fields, parent, session, base, words, provider = null, refusal = null } = frame
  const { codeHint, codeHintAmex } = words.fields
  const config = {
    view,
    parent,
    session,
    api: base,
    fields,
    schemes: schemesOfScript,
    mistakes: words.mistakes,
    hints: { codeHint, codeHintAmex },
    provider,
    refusal,
  }
  return html`<!doctype html>
<html lang="${words.lang}">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="robots" content="noindex, nofollow">
<title>${words.title}</title>
<link rel="stylesheet" href="${base}${styleAsset.path}" integrity="${styleAsset.integrity}" crossorigin="anonymous">
<script type="module" src="${base}${scriptAsset.path}" integrity="${scriptAsset.integrity}" crossorigin="anonymous"></script>
</head>
<body data-view="${view}" data-config="${JSON.stringify(config)}">
${(view === 'card' || view === 'field') && html`<main><h1 class="unseen">${words.title}</h1><form novalidate>${fields.map((name) => fieldParts(name, words))}<button type="submit" hidden></button></form></main>`}
</body>
</html>
`.markup
}

function fieldParts(name: CardFieldName, { fields }: CardWords): Html {
  const attributes = {
    number: html`autocomplete="cc-number" inputmode="numeric" spellcheck="false" placeholder="1234 1234 1234 1234"`,
    expiry: html`autocomplete="cc-exp" inputmode="numeric" placeholder="${fields.expiryForm}"`,
    code: html`autocomplete="cc-csc" inputmode="numeric" maxlength="4" spellcheck="false"`,
    postalCode: html`autocomplete="postal-code" maxlength="50" spellcheck="false"`,
  }
  const described = name === 'code' ? `${name}-mistake ${name}-hint` : `${name}-mistake`
  return html`<div class="field ${name}">
<label for="${name}">${fields[name]}</label>
<input id="${name}" type="text" ${attributes[name]} aria-required="true" aria-describedby="${described}">
${name === 'number' && html`<span id="scheme" role="status"></span>`}
${name === 'code' && html`<p id="code-hint" class="hint">${fields.codeHint}</p>`}
<p id="${name}-mistake" class="mistake" role="alert" hidden></p>
</div>`
}
