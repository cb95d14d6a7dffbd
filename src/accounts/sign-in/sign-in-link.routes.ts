import { Type } from 'typebox'
import type { App } from '../../api/app.ts'
import { clientAddress } from '../../api/request/client-address.ts'
import type { Routes } from '../../api/routes.ts'
import { html } from '../../page/html.ts'
import type { World } from '../../world.ts'
import { sendSession } from './session.ts'
import { refuseOtherOrigins } from './session-caller.ts'
import { isSignInLinkOpen, sandboxAdministrator, useSignInLink } from './sign-in-link.store.ts'
import { registerPages, type SignInPage, sendPage } from './sign-in-page.ts'
import { limitSignInAttempts } from './sign-in-rate.ts'

const params = Type.Object({ token: Type.String({ maxLength: 200 }) })
const pageRoute = { config: { scopes: 'public' as const }, schema: { hide: true, params } }

/** The pages of one-time sign-in links: there are none in production. */
export const signInLinkRoutes: Routes = (app, world) => {
  if (world.settings.environment === 'sandbox') registerPages(app, (scope) => signInLinkPages(scope, world))
}

/** Opening the page changes nothing: chat programs open links to show a preview. */
function signInLinkPages(app: App, world: World): void {
  app.get('/sign-in/:token', pageRoute, async ({ params: { token } }, reply) =>
    (await isSignInLinkOpen(world, token))
      ? sendPage(reply, 200, openPage(token))
      : sendPage(reply, 404, invalidPage),
  )

  app.post('/sign-in/:token', pageRoute, async (request, reply) => {
    const { token } = request.params
    refuseOtherOrigins(world, request)
    await limitSignInAttempts(world, clientAddress(request))
    const signedIn = (await isSignInLinkOpen(world, token)) ? await useSignInLink(world, token) : undefined
    if (!signedIn) return sendPage(reply, 404, invalidPage)
    sendSession(world, reply, signedIn.row, signedIn.session)
    return reply.redirect('/dashboard', 303)
  })
}

const openPage = (token: string): SignInPage => ({
  title: 'Sign in to the sandbox',
  main: html`<p>You sign in as ${sandboxAdministrator.name} (${sandboxAdministrator.emailAddress}). The link works once.</p>
<form method="post" action="/sign-in/${encodeURIComponent(token)}">
<button type="submit">Sign in</button>
</form>`,
})

const invalidPage: SignInPage = {
  title: 'This sign-in link is not valid',
  main: html`<p>It has been used, replaced by a newer one, or is older than 24 hours. Start Railyard again for a new one, or run: npm run railyard -- users sign-in-link</p>
<p><a href="/dashboard">Open the dashboard</a></p>`,
}
