import { createHash } from 'node:crypto'
import type { FastifyReply } from 'fastify'
import type { App } from '../../api/app.ts'
import { type Html, html, verbatim } from '../../page/html.ts'

/** A page for people, such as the one behind an invitation's link. */
export interface SignInPage {
  title: string
  main: Html
}

const style = `
:root { color-scheme: light dark; --paper: #f4f5f7; --card: #fff; --ink: #16181d; --soft: #545b66; --line: #8a919c; --accent: #0b51c1; --on-accent: #fff; --bad: #a5121f; }
@media (prefers-color-scheme: dark) {
  :root { --paper: #111317; --card: #1b1e24; --ink: #eef0f3; --soft: #aab1bc; --line: #7a828e; --accent: #a9c7ff; --on-accent: #08265c; --bad: #ffb3b3; }
}
* { box-sizing: border-box; }
body { margin: 0; min-height: 100vh; display: grid; place-content: center; padding: 1rem; background: var(--paper); color: var(--ink); font: 1rem/1.5 system-ui, sans-serif; }
main { width: min(100vw - 2rem, 26rem); padding: 1.75rem; background: var(--card); border-radius: .875rem; }
main, form { display: grid; gap: 1rem; }
h1, p { margin: 0; }
h1 { font-size: 1.375rem; line-height: 1.25; }
p { color: var(--soft); overflow-wrap: anywhere; }
.bad { color: var(--bad); }
a { color: var(--accent); }
label { display: grid; gap: .25rem; font-weight: 600; }
input { width: 100%; min-height: 3rem; padding: .5rem .75rem; font: inherit; color: inherit; background: var(--card); border: 1px solid var(--line); border-radius: .5rem; }
input[readonly] { color: var(--soft); background: var(--paper); }
button { width: 100%; min-height: 3rem; padding: .75rem 1.25rem; font: inherit; font-weight: 600; color: var(--on-accent); background: var(--accent); border: 0; border-radius: 1.5rem; cursor: pointer; }
:focus-visible { outline: 3px solid var(--accent); outline-offset: 2px; }
`

/**
 * Content-Security-Policy of these pages: no script, nothing loaded, no framing, and the form is sent to this
 * server only.
 */
const policy = [
  "default-src 'none'",
  `style-src 'sha256-${createHash('sha256').update(style).digest('base64')}'`,
  "form-action 'self'",
  "frame-ancestors 'none'",
  "base-uri 'none'",
].join('; ')

const markup = ({ title, main }: SignInPage): string =>
  html`<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>${title} – Railyard</title>
<style>${verbatim(style)}</style>
</head>
<body>
<main>
<h1>${title}</h1>
${main}
</main>
</body>
</html>`.markup

/**
 * The referrer policy is `same-origin`: with `no-referrer`, browsers send `Origin: null` with the form, and
 * it would be refused.
 */
export const sendPage = (reply: FastifyReply, status: number, page: SignInPage) =>
  reply
    .code(status)
    .type('text/html; charset=utf-8')
    .headers({
      'content-security-policy': policy,
      'cache-control': 'no-store',
      'referrer-policy': 'same-origin',
      'x-content-type-options': 'nosniff',
    })
    .send(markup(page))

/** Adds routes of pages with forms: their bodies are texts of the type that browsers send. */
export function registerPages(app: App, add: (scope: App) => void): void {
  app.register(async (plugin) => {
    const scope = plugin as unknown as App
    scope.removeAllContentTypeParsers()
    scope.addContentTypeParser(
      'application/x-www-form-urlencoded',
      { parseAs: 'string', bodyLimit: 16 * 1024 },
      (_request, body, done) => done(null, body),
    )
    add(scope)
  })
}
