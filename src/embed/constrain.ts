import type { FastifyRequest } from 'fastify'
import { isEmbedded } from '../api/caller.ts'
import { clientAddress } from '../api/client-address.ts'
import { limitRates, ofTokens } from '../api/rate-limit.ts'
import type { App } from '../api/routes.ts'
import { attemptLimits, noteGiftCards } from '../checkout/card-attempts.ts'
import type { World } from '../world.ts'
import { type BrowserOperation, browserOperations } from './browser-members.ts'
import { isObject, refusal, withPins } from './pins.ts'
import { refusedMembers } from './refused-members.ts'

/**
 * What holds for every request with a browser's token (SEMANTICS §0.13, §1.4), whichever operation it is for: it counts in the token's 50 a minute, it may not contradict what the
 * token pins, and it may send only what the table gives to browsers. Whose stored methods it may use is for the operations to look up.
 */
export function constrainBrowsers(app: App, world: World): void {
  // before the shape is checked, so that what the token pins must have the shape too
  app.addHook('preValidation', async (request, reply) => {
    const embedded = embeddedRequest(request)
    if (!embedded) return
    const { token, operation } = embedded
    const ofToken = { ...ofTokens, key: `token/${request.account}/${token.jti}` }
    reply.headers(await limitRates(world.run, world.machineClock, ofToken, ...(operation.isAttempt ? limitsOf(request) : [])))
    if (operation.isAttempt) noteGiftCards(world, { account: request.account, address: clientAddress(request) }, giftCardsIn(request.body))
    if (operation.body && isObject(request.body)) request.body = withPins(request.body, token.embed ?? {}, operation.body, 'body')
  })
  const limitsOf = (request: FastifyRequest) =>
    attemptLimits(world, { account: request.account, address: clientAddress(request), number: numberIn(request.body) })
  app.addHook('preHandler', async (request) => {
    const embedded = embeddedRequest(request)
    if (!embedded) return
    const { token, operation } = embedded
    const say = { pins: token.embed ?? {}, connectors: world.connectors }
    if (isObject(request.query)) {
      request.query = withPins(request.query, say.pins, operation.query ?? {}, 'query')
      const refused = refusedMembers(isObject(request.query) ? request.query : {}, operation.query ?? {}, say)
      if (Object.keys(refused).length > 0) throw refusal('query', refused)
    }
    const refused = isObject(request.body) ? refusedMembers(request.body, operation.body ?? {}, say) : {}
    if (Object.keys(refused).length > 0) throw refusal('body', refused)
  })
}

/** Of a card in full; the shape is not checked yet. */
function numberIn(body: unknown): string | undefined {
  const method = isObject(body) ? body['payment_method'] : undefined
  const number = isObject(method) ? method['number'] : undefined
  return typeof number === 'string' && /^\d{13,19}$/.test(number) ? number : undefined
}

/** The gift card numbers that a request sends: its own, those of `items`, or those that pay. */
function giftCardsIn(body: unknown): string[] {
  if (!isObject(body)) return []
  const { number, items, gift_cards: paying } = body
  const cards = [items, paying].flatMap((list) => (Array.isArray(list) ? list : [])).filter(isObject)
  return [number, ...cards.map((card) => card['number'])].filter((each) => typeof each === 'string')
}

/** Undefined: the request brings no browser's token. An operation that the table does not know takes nothing from a browser. */
function embeddedRequest({ caller, routeOptions }: Pick<FastifyRequest, 'caller' | 'routeOptions'>) {
  if (!caller || !isEmbedded(caller)) return undefined
  const id = routeOptions.schema?.operationId
  const operation: BrowserOperation = (id === undefined ? undefined : browserOperations[id]) ?? {}
  return { token: caller.token, operation }
}
