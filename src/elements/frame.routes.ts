import type { FastifyReply, FastifyRequest } from 'fastify'
import { Type } from 'typebox'
import { limitRate } from '../api/auth/rate-limit.ts'
import { ApiError, notFound, orNotFound } from '../api/errors.ts'
import type { Routes } from '../api/routes.ts'
import { Text, Uuid, Words } from '../api/schema.ts'
import { findSessionForBrowser } from '../checkout/sessions/checkout-session.store.ts'
import { reportUrl } from '../page/hosted-page.ts'
import type { World } from '../world.ts'
import { isAllowedOrigin } from './allowed-origins.ts'
import { assets, scriptAsset, styleAsset } from './assets.ts'
import { type CardFieldName, type CardFrame, cardDocument, cardFieldNames, frameViews } from './card.page.ts'
import { type CardFieldsSource, cardFieldsOf } from './card-fields-source.ts'
import { allowedOriginsOf } from './elements-configuration.store.ts'
import { elementsUrl } from './elements-url.ts'
import { chooseCardWords } from './words/choose.ts'

type FrameView = (typeof frameViews)[number]

const query = Type.Object(
  {
    session: Uuid,
    parent: Text(1, 300),
    view: Type.Optional(Words(...frameViews)),
    fields: Type.Optional(Text(1, 100)),
    locale: Type.Optional(Text(1, 50)),
  },
  { additionalProperties: false },
)

/**
 * The frames with card fields, and their files. A frame's document is for one page: its policy allows that page
 * alone to show it, and it speaks with that page alone.
 */
export const frameRoutes: Routes = (app, world) => {
  app.get(
    '/elements/card',
    { config: { scopes: 'public' }, schema: { hide: true, querystring: query } },
    async (request, reply) => {
      requireElementsHost(world, request)
      const { session: id, parent, view = 'card', fields, locale } = request.query
      const session = orNotFound(await findSessionForBrowser(world, id))
      const account = session.merchant_account_id
      reply.headers(await limitRate(world.run, world.machineClock, `checkout-session/${id}/frames`))
      if (!isAllowedOrigin(world, await allowedOriginsOf(world, account), parent))
        throw new ApiError(
          403,
          'forbidden',
          'Pages of this origin may not show card fields: add it to the allowed origins of the merchant account',
        )
      const source = await cardFieldsOf(world, session)
      const document = cardDocument({
        ...viewOf(source, view),
        fields: readFields(fields),
        parent,
        session: id,
        base: elementsUrl(world),
        words: chooseCardWords(locale, request.headers['accept-language']),
      })
      return reply
        .type('text/html; charset=utf-8')
        .headers(frameHeaders(world, account, parent))
        .send(document)
    },
  )

  app.get(
    '/elements/assets/:file',
    {
      config: { scopes: 'public' },
      schema: { hide: true, params: Type.Object({ file: Type.String() }) },
    },
    async (request, reply): Promise<FastifyReply> => {
      const asset = orNotFound(assets.get(`/elements/assets/${request.params.file}`))
      return reply
        .type(asset.type)
        .headers({
          'cache-control': 'public, max-age=31536000, immutable',
          'cross-origin-resource-policy': 'cross-origin',
        })
        .send(asset.content)
    },
  )
}

/** With a host of its own for card fields, no other host shows them. */
function requireElementsHost({ settings }: World, { host }: Pick<FastifyRequest, 'host'>): void {
  if (settings.elementsOrigin && new URL(settings.elementsOrigin).host !== host) throw notFound()
}

/** What the frame shows: a provider shows whole cards only. */
function viewOf(source: CardFieldsSource, view: FrameView): Pick<CardFrame, 'view' | 'provider' | 'refusal'> {
  if (source.kind === 'railyard') return { view }
  if (source.kind === 'provider' && view === 'card') return { view: 'provider', provider: source.provider }
  return { view: 'provider', refusal: 'no_card_fields' }
}

/** The fields in their order; by default those of a card. */
function readFields(text = 'number,expiry,code'): CardFieldName[] {
  const names = text.split(',')
  return cardFieldNames.filter((name) => names.includes(name))
}

/**
 * The document loads its script and its style, sends to the API, and does nothing else. Browsers that know
 * `Integrity-Policy` refuse a script without a hash, too.
 */
function frameHeaders(world: World, account: string, parent: string): Record<string, string> {
  const base = elementsUrl(world)
  const report = reportUrl(world, account, 'card-fields')
  const policy = [
    "default-src 'none'",
    `script-src ${base}${scriptAsset.path}`,
    `style-src ${base}${styleAsset.path}`,
    "connect-src 'self'",
    "form-action 'none'",
    "base-uri 'none'",
    `frame-ancestors ${parent}`,
    "require-trusted-types-for 'script'",
    "trusted-types 'none'",
    `report-uri ${report}`,
  ]
  return {
    'content-security-policy': policy.join('; '),
    'integrity-policy': 'blocked-destinations=(script), endpoints=(railyard)',
    'reporting-endpoints': `railyard="${report}"`,
    'cache-control': 'no-store',
    'referrer-policy': 'no-referrer',
    'permissions-policy': 'camera=(), geolocation=(), microphone=()',
    'x-content-type-options': 'nosniff',
  }
}
