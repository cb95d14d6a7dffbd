import { createHash } from 'node:crypto'
import { type Html, html, verbatim } from '../../page/html.ts'
import { MAX_PASSWORD_LENGTH, MIN_PASSWORD_LENGTH } from '../sign-in/password-rules.ts'

/** The page behind an invitation's link. */
export type InvitationPage =
  | {
      state: 'open'
      emailAddress: string
      name: string
      /** Where the form is posted. */
      action: string
      /** Why the form that the person has just sent was refused. */
      problem?: string | undefined
    }
  | { state: 'accepted'; name: string }
  /** The link is unknown, used or expired. */
  | { state: 'invalid' }

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
label { display: grid; gap: .25rem; font-weight: 600; }
input { width: 100%; min-height: 3rem; padding: .5rem .75rem; font: inherit; color: inherit; background: var(--card); border: 1px solid var(--line); border-radius: .5rem; }
input[readonly] { color: var(--soft); background: var(--paper); }
button { width: 100%; min-height: 3rem; padding: .75rem 1.25rem; font: inherit; font-weight: 600; color: var(--on-accent); background: var(--accent); border: 0; border-radius: 1.5rem; cursor: pointer; }
:focus-visible { outline: 3px solid var(--accent); outline-offset: 2px; }
`

/**
 * Content-Security-Policy of the page: no script, nothing loaded, no framing, and the form is sent to this
 * server only.
 */
export const invitationPolicy = [
  "default-src 'none'",
  `style-src 'sha256-${createHash('sha256').update(style).digest('base64')}'`,
  "form-action 'self'",
  "frame-ancestors 'none'",
  "base-uri 'none'",
].join('; ')

export function invitationPage(page: InvitationPage): string {
  const { title, main } = contents(page)
  return html`<!doctype html>
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
}

function contents(page: InvitationPage): { title: string; main: Html } {
  switch (page.state) {
    case 'open':
      return { title: 'Choose a password', main: form(page) }
    case 'accepted':
      return {
        title: `Welcome, ${page.name}`,
        main: html`<p>Your password is set, and you are signed in. The invitation cannot be used again: from now on sign in with your email address and this password.</p>`,
      }
    case 'invalid':
      return {
        title: 'This invitation is not valid',
        main: html`<p>It has been used, replaced by a newer one, or is older than 72 hours. Ask the person who sent it to you for a new one.</p>`,
      }
  }
}

const form = ({
  emailAddress,
  name,
  action,
  problem,
}: InvitationPage & {
  state: 'open'
}): Html => html`<p>It is for signing in to Railyard with your email address.</p>
${problem !== undefined && html`<p class="bad" role="alert">${problem}</p>`}
<form method="post" action="${action}">
<label>Email address <input type="email" value="${emailAddress}" autocomplete="username" readonly></label>
<label>Your name <input name="name" value="${name}" maxlength="200" autocomplete="name" required></label>
<label>Password <input type="password" name="password" minlength="${MIN_PASSWORD_LENGTH}" maxlength="${MAX_PASSWORD_LENGTH}" autocomplete="new-password" aria-describedby="rule" required></label>
<p id="rule">At least ${MIN_PASSWORD_LENGTH} characters. A few unusual words make a good one.</p>
<label>The same password again <input type="password" name="again" minlength="${MIN_PASSWORD_LENGTH}" maxlength="${MAX_PASSWORD_LENGTH}" autocomplete="new-password" required></label>
<button type="submit">Set the password and sign in</button>
</form>`
