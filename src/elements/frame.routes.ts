import type { FastifyReply } from 'fastify'
import { Type } from 'typebox'
import { limitRate } from '../api/auth/rate-limit.ts'
import { ApiError, orNotFound } from '../api/errors.ts'
import type { Routes } from '../api/routes.ts'
import { Text, Uuid, Words } from '../api/schema.ts'
import { findSessionForBrowser } from '../checkout/sessions/checkout-session.store.ts'
import { authenticatingServices } from '../checkout/sessions/three-ds-method.ts'
import { giftCardServices } from '../gift-cards/services/gift-card-service.store.ts'
import { elementsUrl } from '../page/elements-url.ts'
import { isAllowedOrigin } from './allowed-origins.ts'
import { assets } from './assets.ts'
import { type CardFieldName, type CardFrame, cardDocument, cardFieldNames, cardViews } from './card.page.ts'
import { type CardFieldsSource, cardFieldsOf } from './card-fields-source.ts'
import { challengeDocument, checkoutDocument } from './checkout.page.ts'
import { checkoutWallets } from './checkout-wallets.ts'
import { allowedOriginsOf } from './elements-configuration.store.ts'
import { requireElementsHost } from './elements-host.ts'
import { frameHeaders, googlePayConnections, issuerPolicy } from './frame-headers.ts'
import { chooseCardWords, chooseCheckoutWords } from './words/choose.ts'

type CardView = (typeof cardViews)[number]

const query = Type.Object(
  {
    session: Uuid,
    parent: Text(1, 300),
    view: Type.Optional(Words(...cardViews, 'checkout', 'challenge')),
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
      const frame = { parent, session: id, base: elementsUrl(world) }
      const languages = request.headers['accept-language']
      reply.type('text/html; charset=utf-8')
      if (view === 'challenge')
        return reply
          .headers(frameHeaders(world, account, { page: 'checkout', ancestors: parent, more: issuerPolicy }))
          .send(challengeDocument(frame, chooseCheckoutWords(locale, languages)))
      const cardWords = chooseCardWords(locale, languages)
      const names = readFields(fields)
      const source = await cardFieldsOf(world, session)
      if (view !== 'checkout')
        return reply
          .headers(frameHeaders(world, account, { page: 'card-fields', ancestors: parent }))
          .send(cardDocument({ ...frame, ...viewOf(source, view), fields: names, words: cardWords }))
      const services = await giftCardServices(world, account)
      const wallets = await checkoutWallets(world, account, parent)
      const connections = wallets.googlePay ? googlePayConnections : []
      const runsThreeDSMethod = (await authenticatingServices(world, session)).length > 0
      return reply
        .headers(
          frameHeaders(world, account, {
            page: 'checkout',
            ancestors: parent,
            connections,
            more: [
              "form-action 'none'",
              ...(runsThreeDSMethod ? [`frame-src ${frame.base}/elements/method`] : []),
            ],
          }),
        )
        .send(
          checkoutDocument({
            ...frame,
            fields: source.kind === 'railyard' ? names : [],
            cardWords,
            words: chooseCheckoutWords(locale, languages),
            returned: `${frame.base}/elements/returned/${account}`,
            publicUrl: world.publicUrl,
            runsThreeDSMethod,
            takesGiftCards: services.some(({ active }) => active),
            wallets,
          }),
        )
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

/** What the frame shows: a provider shows whole cards only. */
function viewOf(source: CardFieldsSource, view: CardView): Pick<CardFrame, 'view' | 'provider' | 'refusal'> {
  if (source.kind === 'railyard') return { view }
  if (source.kind === 'provider' && view === 'card') return { view: 'provider', provider: source.provider }
  return { view: 'provider', refusal: 'no_card_fields' }
}

/** The fields in their order; by default those of a card. */
function readFields(text = 'number,expiry,code'): CardFieldName[] {
  const names = text.split(',')
  return cardFieldNames.filter((name) => names.includes(name))
}
