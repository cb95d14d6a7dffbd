import type { FastifyReply, FastifyRequest } from 'fastify'
import type { App } from '../../api/app.ts'
import type { Routes } from '../../api/routes.ts'
import { InvalidShape } from '../../api/server/validation.ts'
import type { World } from '../../world.ts'
import { findLinkByToken } from '../payment-link.store.ts'
import type { PaymentLinkRow } from '../payment-link.ts'
import { mustAskForName } from './card-session.ts'
import { payHeaders } from './content-policy.ts'
import { payDocument } from './document.ts'
import { readLinkState } from './link-state.ts'
import { messageParts, type PageMessage, pageMessageOf, unavailableMessage } from './message.page.ts'
import { type Order, orderOf } from './order.ts'
import { payData, payParts } from './pay.page.ts'
import { LinkParams as params } from './pay.schema.ts'
import { readPaymentChoices } from './payment-choices.ts'
import { chooseWords } from './words/choose.ts'
import { isAdvice, type Words } from './words/words.ts'

/** The page that a payment link opens (SEMANTICS §14). Opening it changes nothing: mail programs open links ahead of time. */
export const payPageRoutes: Routes = (app, world) => {
  app.register(async (plugin) => {
    const scope = plugin as unknown as App
    // a buyer reads no JSON
    scope.setErrorHandler((error, request, reply) => {
      if (error instanceof InvalidShape) return showUnknownLink(world, request, reply)
      const words = chooseWords(null, request.headers['accept-language'])
      const { message, stack } = error instanceof Error ? error : new Error(String(error))
      request.log.error({ err: { message, stack } }, 'request failed')
      return showMessage(world, reply.code(500), { words, order: null, state: 'failed', ending: { ...words.failed, sign: 'bad' } })
    })
    scope.get('/pay', { config: { scopes: 'public' }, schema: { hide: true } }, async (request, reply) => showUnknownLink(world, request, reply))
    scope.get('/pay/:token', { config: { scopes: 'public' }, schema: { hide: true, params } }, async (request, reply) => {
      const link = await findLinkByToken(world, request.params.token)
      if (!link) return showUnknownLink(world, request, reply)
      const words = chooseWords(link.details.locale ?? null, request.headers['accept-language'])
      return showLink(world, reply, link, words, new URL(request.url, world.publicUrl).searchParams)
    })
  })
}

/** Whether a request is for a link's page, also where its path is none: buyers read no JSON. */
export const isPayPageRequest = ({ method, url }: Pick<FastifyRequest, 'method' | 'url'>): boolean =>
  method === 'GET' && /^\/pay\/[^/?]*\/?(?:\?|$)/.test(url)

/** 404: the token opens nothing, or could be none. */
export function showUnknownLink(world: World, { headers }: Pick<FastifyRequest, 'headers'>, reply: FastifyReply): FastifyReply {
  const words = chooseWords(null, headers['accept-language'])
  return showMessage(world, reply.code(404), { words, order: null, state: 'unknown', ending: { ...words.unknown, sign: 'bad' } })
}

async function showLink(world: World, reply: FastifyReply, link: PaymentLinkRow, words: Words, query: URLSearchParams) {
  const attempt = query.get('svc_transaction_id')
  const state = await readLinkState(world, link, attempt)
  // who is just back from paying goes on; who opens the link again reads what became of it
  if (state.state === 'completed' && state.next !== null && attempt !== null)
    return reply.headers({ 'cache-control': 'no-store', 'referrer-policy': 'no-referrer' }).redirect(state.next, 303)
  const order = await orderOf(world, link, words)
  if (state.state !== 'open' && state.state !== 'declined')
    return showMessage(world, reply, { words, order, state: state.state, ending: pageMessageOf(state, order, words) })
  const { options, stored } = await readPaymentChoices(world, link, words)
  if (options.length === 0 && stored.length === 0)
    return showMessage(world, reply, { words, order, state: 'unavailable', ending: unavailableMessage(order, words) })
  const told = query.get('declined')
  const declined = state.state === 'declined' ? state.advice : isAdvice(told) ? told : null
  const choice = { options, stored, asksName: mustAskForName(link), keepsCard: link.store, declined }
  const title = words.payTitle(order.merchant)
  return send(
    reply,
    order,
    payDocument({ ...frame(world, words), order, title, main: payParts(order, choice, words), state: 'open', data: payData(words) }),
  )
}

interface MessagePage {
  words: Words
  order: Order | null
  state: string
  ending: PageMessage
}

const showMessage = (world: World, reply: FastifyReply, { words, order, state, ending }: MessagePage) =>
  send(reply, order, payDocument({ ...frame(world, words), order, title: ending.title, main: messageParts(ending), state, data: payData(words) }))

const frame = ({ settings }: World, words: Words) => ({ words, isSandbox: settings.environment === 'sandbox' })

const send = (reply: FastifyReply, order: Order | null, document: string) =>
  reply.type('text/html; charset=utf-8').headers(payHeaders(order)).send(document)
