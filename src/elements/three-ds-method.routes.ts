import { Type } from 'typebox'
import type { App } from '../api/app.ts'
import { limitRate } from '../api/auth/rate-limit.ts'
import { notFound, orNotFound } from '../api/errors.ts'
import type { Routes } from '../api/routes.ts'
import { Text, Uuid } from '../api/schema.ts'
import { canonicalId, isUuid } from '../api/values/uuid.ts'
import { findSessionForBrowser } from '../checkout/sessions/checkout-session.store.ts'
import { completeThreeDSMethod } from '../checkout/sessions/three-ds-method.store.ts'
import { methodData, threeDSMethodOf } from '../checkout/sessions/three-ds-method.ts'
import { elementsUrl } from '../page/elements-url.ts'
import { isAllowedOrigin } from './allowed-origins.ts'
import { methodDocument, returnedDocument } from './checkout.page.ts'
import { allowedOriginsOf } from './elements-configuration.store.ts'
import { requireElementsHost } from './elements-host.ts'
import { frameHeaders } from './frame-headers.ts'
import { chooseCheckoutWords } from './words/choose.ts'

const query = Type.Object({ session: Uuid, parent: Text(1, 300), id: Uuid }, { additionalProperties: false })

/**
 * The 3DS method (EMV 3DS): a hidden frame of the checkout posts to a page of the card's issuer, and that page posts
 * its end to Railyard.
 */
export const threeDSMethodRoutes: Routes = (app, world) => {
  app.get(
    '/elements/method',
    { config: { scopes: 'public' }, schema: { hide: true, querystring: query } },
    async (request, reply) => {
      requireElementsHost(world, request)
      const { session: sessionId, parent, id } = request.query
      const session = orNotFound(await findSessionForBrowser(world, sessionId))
      const account = session.merchant_account_id
      reply.headers(await limitRate(world.run, world.machineClock, `checkout-session/${session.id}/frames`))
      const method = threeDSMethodOf(session)
      if (method?.id !== canonicalId(id)) throw notFound()
      if (!isAllowedOrigin(world, await allowedOriginsOf(world, account), parent)) throw notFound()
      const base = elementsUrl(world)
      const { origin } = new URL(method.url)
      return reply
        .type('text/html; charset=utf-8')
        .headers(
          frameHeaders(world, account, {
            page: 'checkout',
            ancestors: `'self' ${parent}`,
            more: [`form-action ${origin}`, `frame-src ${origin} ${base}${notifications}`],
          }),
        )
        .send(
          methodDocument(base, chooseCheckoutWords(undefined, request.headers['accept-language']), {
            url: method.url,
            data: methodData(world, account, method),
          }),
        )
    },
  )

  app.register(async (plugin) => {
    const scope = plugin as unknown as App
    scope.removeAllContentTypeParsers()
    scope.addContentTypeParser('*', { parseAs: 'string', bodyLimit: 16 * 1024 }, (_request, body, done) =>
      done(null, body),
    )
    scope.post(
      `${notifications}:merchant_account_id`,
      {
        config: { scopes: 'public' },
        schema: { hide: true, params: Type.Object({ merchant_account_id: Type.String() }) },
      },
      async (request, reply) => {
        requireElementsHost(world, request)
        const { merchant_account_id: account } = request.params
        const id = completedTransaction(String(request.body))
        if (id) await completeThreeDSMethod(world, account, id)
        return reply
          .type('text/html; charset=utf-8')
          .headers(frameHeaders(world, account, { page: 'checkout', ancestors: '*' }))
          .send(
            returnedDocument(
              elementsUrl(world),
              chooseCheckoutWords(undefined, request.headers['accept-language']),
              undefined,
            ),
          )
      },
    )
  })
}

const notifications = '/elements/method-notifications/'

/** The 3DS server's transaction id in what the issuer's page posts. Undefined: there is none. */
function completedTransaction(form: string): string | undefined {
  try {
    const data = new URLSearchParams(form).get('threeDSMethodData') ?? ''
    const id: unknown = JSON.parse(Buffer.from(data, 'base64url').toString())?.threeDSServerTransID
    return typeof id === 'string' && isUuid(id) ? canonicalId(id) : undefined
  } catch {
    return undefined
  }
}
