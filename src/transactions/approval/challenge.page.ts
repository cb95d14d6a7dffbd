import { formatPrice } from '../../page/format.ts'
import { type HostedScript, integrityOf } from '../../page/hosted-page.ts'
import { type Html, html, verbatim } from '../../page/html.ts'

/** What the page shows a cardholder on the way to the card's issuer. */
export interface ChallengePage {
  merchant: string
  amount: number
  currency: string
  /** The first language in the browser's `accept-language`. */
  locale: string
  acsUrl: string
  /** base64url of the CReq. */
  creq: string
}

const style = `
:root { color-scheme: light dark; --paper: #f4f5f7; --card: #fff; --ink: #16181d; --soft: #545b66; --line: #d9dde3; --accent: #0b51c1; --on-accent: #fff; }
@media (prefers-color-scheme: dark) {
  :root { --paper: #111317; --card: #1b1e24; --ink: #eef0f3; --soft: #aab1bc; --line: #353a43; --accent: #a9c7ff; --on-accent: #08265c; }
}
* { box-sizing: border-box; }
body { margin: 0; min-height: 100vh; display: grid; place-content: center; padding: 1rem; background: var(--paper); color: var(--ink); font: 1rem/1.5 system-ui, sans-serif; }
main { display: grid; gap: 1rem; width: min(100%, 26rem); padding: 1.75rem; background: var(--card); border: 1px solid var(--line); border-radius: .875rem; }
h1, p { margin: 0; }
h1 { font-size: 1.375rem; line-height: 1.25; }
p { color: var(--soft); }
button { width: 100%; min-height: 3rem; padding: .75rem 1.25rem; font: inherit; font-weight: 600; color: var(--on-accent); background: var(--accent); border: 0; border-radius: 1.5rem; cursor: pointer; }
:focus-visible { outline: 3px solid var(--accent); outline-offset: 2px; }
`
const script = "document.getElementById('on').submit()"

/** For the inventory of scripts. */
export const challengeScripts: readonly HostedScript[] = [
  {
    page: 'challenge',
    path: null,
    source: script,
    purpose: 'Sends the cardholder on to the card’s issuer without a click',
  },
]

/**
 * Allows the form and nothing else. Browsers check `form-action` against every redirect after the form, too:
 * the issuer's page, Railyard's and the merchant's. Only the first of these origins is known here, so every
 * origin is allowed.
 */
export const challengePolicy = [
  "default-src 'none'",
  `style-src '${integrityOf(style)}'`,
  `script-src '${integrityOf(script)}'`,
  'form-action https: http:',
  "frame-ancestors 'none'",
  "base-uri 'none'",
]

/**
 * Posts the CReq to the issuer (EMV 3DS 2.x, §A.4 and §6.2.1), by itself or, without JavaScript, by a button.
 */
export function challengePage({ merchant, amount, currency, locale, acsUrl, creq }: ChallengePage): string {
  const page: Html = html`<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>Confirm your payment</title>
<style>${verbatim(style)}</style>
</head>
<body>
<main>
<h1>Your bank asks you to confirm</h1>
<p>${merchant} asks for ${formatPrice(amount, currency, locale)}. You go on to the page of the bank that issued your card, and come back here.</p>
<form id="on" method="post" action="${acsUrl}">
<input type="hidden" name="creq" value="${creq}">
<button type="submit">Go on to your bank</button>
</form>
</main>
<script>${verbatim(script)}</script>
</body>
</html>`
  return page.markup
}
