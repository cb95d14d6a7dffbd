import { type Html, html } from '../../page/html.ts'
import { MAX_PASSWORD_LENGTH, MIN_PASSWORD_LENGTH } from '../sign-in/password-rules.ts'
import type { SignInPage } from '../sign-in/sign-in-page.ts'

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

export function invitationPage(page: InvitationPage): SignInPage {
  switch (page.state) {
    case 'open':
      return { title: 'Choose a password', main: form(page) }
    case 'accepted':
      return {
        title: `Welcome, ${page.name}`,
        main: html`<p>Your password is set, and you are signed in. The invitation cannot be used again: from now on sign in with your email address and this password.</p>
<p><a href="/dashboard">Open the dashboard</a></p>`,
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
