import type { FastifyRequest } from 'fastify'
import type { App } from '../api/app.ts'
import { hasEmbedToken } from '../api/auth/caller.ts'
import { embedConstraintsOf } from '../api/auth/embed-constraints.ts'
import { limitRates, tokenRate } from '../api/auth/rate-limit.ts'
import { clientAddress } from '../api/request/client-address.ts'
import { attemptLimits, countGiftCardNumbers } from '../checkout/cards/card-attempts.ts'
import type { World } from '../world.ts'
import { type BrowserOperation, browserOperations } from './browser-members.ts'
import { isObject, type RequestMembers, refusedMembersError, withConstraints } from './constraints.ts'
import { refusedMembers } from './refused-members.ts'

/**
 * What holds for every request with a browser's token (SEMANTICS §0.13, §1.4), whichever operation it is for: it counts in the token's 50 a minute, it may not contradict what the
 * token pins, and it may send only what the table gives to browsers. Whose stored methods it may use is for the operations to look up.
 */
export function applyEmbedConstraints(app: App, world: World): void {
  // before the shape is checked, so that what the token pins must have the shape too
  app.addHook('preValidation', async (request, reply) => {
    const embedded = embeddedRequest(request)
    if (!embedded) return
    const { token, pins, operation } = embedded
    const { account, body } = request
    const ofToken = { ...tokenRate, key: `token/${account}/${token.jti}` }
    const attempt = operation.isAttempt && { account, address: clientAddress(request), number: cardNumberIn(body) }
    reply.headers(await limitRates(world.run, world.machineClock, ofToken, ...(attempt ? attemptLimits(world, attempt) : [])))
    if (attempt) countGiftCardNumbers(world, attempt, giftCardNumbersIn(body))
    if (operation.body && isObject(body)) request.body = withConstraints(body, pins, operation.body, 'body')
  })
  app.addHook('preHandler', async (request) => {
    const embedded = embeddedRequest(request)
    if (!embedded) return
    const { pins, operation } = embedded
    const refuse = (location: 'query' | 'body', given: RequestMembers) => {
      const refused = refusedMembers(given, operation[location] ?? {}, { constraints: pins, connectors: world.connectors })
      if (Object.keys(refused).length > 0) throw refusedMembersError(location, refused)
    }
    if (isObject(request.query)) {
      const query = withConstraints(request.query, pins, operation.query ?? {}, 'query')
      refuse('query', query)
      request.query = query
    }
    if (isObject(request.body)) refuse('body', request.body)
  })
}

/** Of a card in full; the shape is not checked yet. */
function cardNumberIn(body: unknown): string | undefined {
  const method = isObject(body) ? body['payment_method'] : undefined
  const number = isObject(method) ? method['number'] : undefined
  return typeof number === 'string' && /^\d{13,19}$/.test(number) ? number : undefined
}

/** The gift card numbers that a request sends: its own, those of `items`, or those that pay. */
function giftCardNumbersIn(body: unknown): string[] {
  if (!isObject(body)) return []
  const { number, items, gift_cards: paying } = body
  const cards = [items, paying].flatMap((list) => (Array.isArray(list) ? list : [])).filter(isObject)
  return [number, ...cards.map((card) => card['number'])].filter((each) => typeof each === 'string')
}

/** Undefined: the request brings no browser's token. An operation that the table does not know takes nothing from a browser. */
function embeddedRequest({ caller, routeOptions }: Pick<FastifyRequest, 'caller' | 'routeOptions'>) {
  if (!caller || !hasEmbedToken(caller)) return undefined
  const id = routeOptions.schema?.operationId
  const operation: BrowserOperation = (id === undefined ? undefined : browserOperations[id]) ?? {}
  return { token: caller.token, pins: embedConstraintsOf(caller), operation }
}
