import { type Html, html } from '../page/html.ts'
import { type Asset, scriptAsset, styleAsset } from './assets.ts'
import { schemesOfScript } from './card-schemes.ts'
import type { Provider } from './providers/provider.ts'
import type { CardWords } from './words/card-words.ts'

/** What a page asks a frame to show: a whole card, one field of it, or nothing, for the frame that joins several fields. */
export const cardViews = ['card', 'field', 'coordinator'] as const
export const cardFieldNames = ['number', 'expiry', 'code', 'postalCode'] as const
export type CardFieldName = (typeof cardFieldNames)[number]

/** What every frame of a merchant's page knows. */
export interface ElementsFrame {
  /** The origin of the page. */
  parent: string
  /** The id of the checkout session. */
  session: string
  /** The URL below which the frame finds the API and its files: of the same origin as the frame. */
  base: string
}

export interface CardFrame extends ElementsFrame {
  view: (typeof cardViews)[number] | 'provider'
  /** Those that the frame shows; of a coordinator, those of the frames beside it. */
  fields: readonly CardFieldName[]
  words: CardWords
  /** The page shows the fields of this provider; the frame shows nothing, and puts its tokens into the session. */
  provider?: Provider
  /** The code of the error with which the page shows no fields. */
  refusal?: 'no_card_fields'
}

/** The document of a frame with card fields. The inputs have no `name`, so that no browser sends them by itself. */
export function cardDocument(frame: CardFrame): string {
  const { view, fields, words, provider = null, refusal = null } = frame
  return frameDocument({
    view,
    lang: words.lang,
    title: words.title,
    base: frame.base,
    script: scriptAsset,
    style: styleAsset,
    config: { ...frameConfig(view, frame), ...cardConfig(fields, words), provider, refusal },
    body:
      (view === 'card' || view === 'field') &&
      html`<main><h1 class="unseen">${words.title}</h1><form novalidate>${cardFields(fields, words)}<button type="submit" hidden></button></form></main>`,
  })
}

/** What the script of a frame reads in any view. */
export const frameConfig = (view: string, { parent, session, base }: ElementsFrame) => ({
  view,
  parent,
  session,
  api: base,
})

/** What the script of a frame with a card form reads. */
export function cardConfig(fields: readonly CardFieldName[], words: CardWords) {
  const { codeHint, codeHintAmex } = words.fields
  return { fields, schemes: schemesOfScript, mistakes: words.mistakes, hints: { codeHint, codeHintAmex } }
}

export const cardFields = (fields: readonly CardFieldName[], words: CardWords): Html[] =>
  fields.map((name) => fieldParts(name, words))

interface FrameDocument {
  view: string
  lang: string
  title: string
  base: string
  script: Asset
  style: Asset
  /** What the script reads. */
  config: object
  body: Html | false
}

/** A document with one script and one style, which are named with their hashes. */
export const frameDocument = ({ view, lang, title, base, script, style, config, body }: FrameDocument) =>
  html`<!doctype html>
<html lang="${lang}">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="robots" content="noindex, nofollow">
<title>${title}</title>
<link rel="stylesheet" href="${base}${style.path}" integrity="${style.integrity}" crossorigin="anonymous">
<script type="module" src="${base}${script.path}" integrity="${script.integrity}" crossorigin="anonymous"></script>
</head>
<body data-view="${view}" data-config="${JSON.stringify(config)}">
${body}
</body>
</html>
`.markup

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
