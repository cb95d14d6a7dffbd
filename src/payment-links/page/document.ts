import { type Html, html, verbatim } from '../../page/html.ts'
import type { Accent } from './accent.ts'
import type { Order } from './order.ts'
import { script } from './page-script.ts'
import { style } from './style.ts'
import type { Words } from './words/words.ts'

/** The parts of one page of a link; `payDocument` puts them into the frame of all pages. */
export interface Document {
  words: Words
  isSandbox: boolean
  /** Null: there is no such link. */
  order: Order | null
  /** The title of the window. */
  title: string
  main: Html
  /** The state of the page (`LinkState`), by which the script decides what to do. */
  state: string
  /** Further attributes of the body for the script. */
  data?: Html
}

/** The part of the style sheet that depends on the merchant's colour. */
export const accentStyle = ({ fill, onFill, onLight, onDark }: Accent): string =>
  `:root{--fill:${fill};--on-fill:${onFill};--accent:${onLight}}@media(prefers-color-scheme:dark){:root{--accent:${onDark}}}`

export function payDocument({ words, isSandbox, order, title, main, state, data }: Document): string {
  return html`<!doctype html>
<html lang="${words.lang}">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="robots" content="noindex, nofollow">
<title>${title}</title>
${order?.favicon && html`<link rel="icon" href="${order.favicon}">`}
<style>${verbatim(style)}</style>
${order && html`<style>${verbatim(accentStyle(order.accent))}</style>`}
</head>
<body data-state="${state}"${data}>
<header>
${isSandbox && html`<p class="bar">${words.sandbox}</p>`}
${order && brand(order)}
</header>
<main>
${main}
</main>
${order?.merchantUrl && state !== 'completed' && html`<footer><a href="${order.merchantUrl}" rel="noreferrer">${words.backTo(order.merchant)}</a></footer>`}
<script type="module">${verbatim(script)}</script>
</body>
</html>
`.markup
}

function brand({ merchant, banner, favicon }: Order): Html {
  return html`${banner && html`<img class="banner" src="${banner}" alt="" referrerpolicy="no-referrer">`}
<p class="brand">${favicon ? html`<img src="${favicon}" alt="" width="32" height="32" referrerpolicy="no-referrer">` : html`<span class="initial" aria-hidden="true">${[...merchant][0]}</span>`}<span>${merchant}</span></p>`
}
