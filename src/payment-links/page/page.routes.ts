import { randomBytes } from 'node:crypto'
import type { FastifyReply, FastifyRequest } from 'fastify'
import type { App } from '../../api/app.ts'
import type { Routes } from '../../api/routes.ts'
import { InvalidShape } from '../../api/server/validation.ts'
import { elementsUrl } from '../../page/elements-url.ts'
import type { World } from '../../world.ts'
import { findLinkByToken } from '../payment-link.store.ts'
import type { PaymentLinkRow } from '../payment-link.ts'
import { mustAskForName } from './card-session.ts'
import { payHeaders } from './content-policy.ts'
import { payDocument } from './document.ts'
import { googlePayPlace } from './google-pay.ts'
import { readLinkState } from './link-state.ts'
import { messageParts, type PageMessage, pageMessageOf, unavailableMessage } from './message.page.ts'
import { type Order, orderOf } from './order.ts'
import { payData, payParts } from './pay.page.ts'
import { LinkParams as params } from './pay.schema.ts'
import { readPaymentChoices } from './payment-choices.ts'
import { chooseWords } from './words/choose.ts'
import { isAdvice, type Words } from './words/words.ts'

/**
 * The page that a payment link opens (semantics §14). Opening it changes nothing, since mail programs open
 * links before the buyer does.
 */
export const payPageRoutes: Routes = (app, world) => {
  app.register(async (plugin) => {
    const scope = plugin as unknown as App
    // a buyer's browser gets a page instead of JSON
    scope.setErrorHandler((error, request, reply) => {
      if (error instanceof InvalidShape) return showUnknownLink(world, request, reply)
      const words = chooseWords(null, request.headers['accept-language'])
      const { message, stack } = error instanceof Error ? error : new Error(String(error))
      request.log.error({ err: { message, stack } }, 'request failed')
      return showMessage(world, reply.code(500), {
        words,
        account: 'default',
        order: null,
        state: 'failed',
        message: { ...words.failed, icon: 'bad' },
      })
    })
    scope.get('/pay', { config: { scopes: 'public' }, schema: { hide: true } }, async (request, reply) =>
      showUnknownLink(world, request, reply),
    )
    scope.get(
      '/pay/:token',
      { config: { scopes: 'public' }, schema: { hide: true, params } },
      async (request, reply) => {
        const link = await findLinkByToken(world, request.params.token)
        if (!link) return showUnknownLink(world, request, reply)
        const words = chooseWords(link.details.locale ?? null, request.headers['accept-language'])
        return showLink(world, reply, link, words, new URL(request.url, world.publicUrl).searchParams)
      },
    )
  })
}

/**
 * Whether a request that no route answers is for a link's page, such as one with a broken token: it gets a
 * page instead of JSON.
 */
export const isPayPageRequest = ({ method, url }: Pick<FastifyRequest, 'method' | 'url'>): boolean =>
  method === 'GET' && /^\/pay\/[^/?]*\/?(?:\?|$)/.test(url)

/** Answers 404: there is no link with this token, or the token is malformed. */
export function showUnknownLink(
  world: World,
  { headers }: Pick<FastifyRequest, 'headers'>,
  reply: FastifyReply,
): FastifyReply {
  return send(reply.code(404), unknownLinkPage(world, headers['accept-language']))
}

/** The page for a token that no link has. It is the same for every such token. */
export function unknownLinkPage(world: World, languages: string | undefined): HostedPage {
  const words = chooseWords(null, languages)
  return messagePage(world, {
    words,
    account: 'default',
    order: null,
    state: 'unknown',
    message: { ...words.unknown, icon: 'bad' },
  })
}

async function showLink(
  world: World,
  reply: FastifyReply,
  link: PaymentLinkRow,
  words: Words,
  query: URLSearchParams,
) {
  const account = link.merchant_account_id
  const attempt = query.get('svc_transaction_id')
  const state = await readLinkState(world, link, attempt)
  // a buyer who returns from paying goes on to the merchant; one who opens the link again reads the outcome
  if (state.state === 'completed' && state.next !== null && attempt !== null)
    return reply
      .headers({ 'cache-control': 'no-store', 'referrer-policy': 'no-referrer' })
      .redirect(state.next, 303)
  const order = await orderOf(world, link, words)
  if (state.state !== 'open' && state.state !== 'declined')
    return showMessage(world, reply, {
      words,
      account,
      order,
      state: state.state,
      message: pageMessageOf(state, order, words),
    })
  const choices = await readPaymentChoices(world, link, words)
  if (choices.options.length === 0 && choices.stored.length === 0)
    return showMessage(world, reply, {
      words,
      account,
      order,
      state: 'unavailable',
      message: unavailableMessage(order, words),
    })
  const reported = query.get('declined')
  const declined = state.state === 'declined' ? state.advice : isAdvice(reported) ? reported : null
  const { googlePay } = choices
  const nonce = googlePay && randomBytes(16).toString('base64')
  const payForm = {
    ...choices,
    googlePayPlace: googlePay && nonce ? googlePayPlace(world, googlePay, nonce, words) : null,
    asksName: mustAskForName(link),
    keepsCard: link.store,
    declined,
  }
  const title = words.payTitle(order.merchant)
  return send(reply, {
    headers: payHeaders(world, account, order, nonce),
    document: payDocument({
      ...frame(world, words),
      order,
      title,
      main: payParts(order, payForm, words),
      state: 'open',
      data: payData(words, elementsUrl(world)),
    }),
  })
}

/** A page as browsers get it. */
interface HostedPage {
  headers: Readonly<Record<string, string>>
  document: string
}

interface MessagePage {
  words: Words
  /** The merchant account of the link; `default` without a link. */
  account: string
  order: Order | null
  state: string
  message: PageMessage
}

const showMessage = (world: World, reply: FastifyReply, page: MessagePage) =>
  send(reply, messagePage(world, page))

const messagePage = (world: World, { words, account, order, state, message }: MessagePage): HostedPage => ({
  headers: payHeaders(world, account, order),
  document: payDocument({
    ...frame(world, words),
    order,
    title: message.title,
    main: messageParts(message),
    state,
    data: payData(words, elementsUrl(world)),
  }),
})

const frame = ({ settings }: World, words: Words) => ({
  words,
  isSandbox: settings.environment === 'sandbox',
})

const send = (reply: FastifyReply, { headers, document }: HostedPage) =>
  reply.type('text/html; charset=utf-8').headers(headers).send(document)
