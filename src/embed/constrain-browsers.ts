import type { FastifyRequest } from 'fastify'
import type { App } from '../api/app.ts'
import { hasEmbedToken } from '../api/auth/caller.ts'
import { embedConstraintsOf } from '../api/auth/embed-constraints.ts'
import { limitRates, tokenRate } from '../api/auth/rate-limit.ts'
import { clientAddress } from '../api/request/client-address.ts'
import { isJsonObject } from '../api/values/json-object.ts'
import { attemptLimits, countGiftCardNumbers } from '../checkout/cards/card-attempts.ts'
import type { World } from '../world.ts'
import { type BrowserOperation, browserOperations } from './browser-members.ts'
import { type RequestMembers, refusedMembersError, withConstraints } from './constraints.ts'
import { refusedMembers } from './refused-members.ts'

/**
 * Checks every request with a browser's token (semantics §0.13, §1.4), before its operation runs: it counts
 * towards the token's 50 requests a minute, it must not contradict the token's embed constraints, and it may
 * send only the members that `browserOperations` gives to browsers. The operations themselves check which
 * buyer's stored methods it uses.
 */
export function applyEmbedConstraints(app: App, world: World): void {
  // before the shape is checked, so that values which the token fills in are checked, too
  app.addHook('preValidation', async (request, reply) => {
    const embedded = embeddedRequest(request)
    if (!embedded) return
    const { token, constraints, operation } = embedded
    const { account, body } = request
    const tokenLimit = { ...tokenRate, key: `token/${account}/${token.jti}` }
    const attempt = operation.isAttempt && {
      account,
      address: clientAddress(request),
      number: cardNumberIn(body),
    }
    reply.headers(
      await limitRates(
        world.run,
        world.machineClock,
        tokenLimit,
        ...(attempt ? attemptLimits(world, attempt) : []),
      ),
    )
    if (attempt) countGiftCardNumbers(world, attempt, giftCardNumbersIn(body))
    if (operation.body && isJsonObject(body))
      request.body = withConstraints(body, constraints, operation.body, 'body')
  })
  app.addHook('preHandler', async (request) => {
    const embedded = embeddedRequest(request)
    if (!embedded) return
    const { constraints, operation } = embedded
    const refuse = (location: 'query' | 'body', members: RequestMembers) => {
      const refused = refusedMembers(members, operation[location] ?? {}, {
        constraints,
        connectors: world.connectors,
      })
      if (Object.keys(refused).length > 0) throw refusedMembersError(location, refused)
    }
    if (isJsonObject(request.query)) {
      const query = withConstraints(request.query, constraints, operation.query ?? {}, 'query')
      refuse('query', query)
      request.query = query
    }
    if (isJsonObject(request.body)) refuse('body', request.body)
  })
}

/** The number of a card in full, of a body whose shape is not checked yet; undefined: there is none. */
function cardNumberIn(body: unknown): string | undefined {
  const method = isJsonObject(body) ? body['payment_method'] : undefined
  const number = isJsonObject(method) ? method['number'] : undefined
  return typeof number === 'string' && /^\d{13,19}$/.test(number) ? number : undefined
}

/**
 * The gift card numbers of a body whose shape is not checked yet: its own, those of `items` and those of
 * `gift_cards`.
 */
function giftCardNumbersIn(body: unknown): string[] {
  if (!isJsonObject(body)) return []
  const { number, items, gift_cards: payingCards } = body
  const cards = [items, payingCards].flatMap((list) => (Array.isArray(list) ? list : [])).filter(isJsonObject)
  return [number, ...cards.map((card) => card['number'])].filter((each) => typeof each === 'string')
}

/**
 * Undefined: the request has no browser's token. An operation that is not in the table accepts no members
 * from a browser.
 */
function embeddedRequest({ caller, routeOptions }: Pick<FastifyRequest, 'caller' | 'routeOptions'>) {
  if (!caller || !hasEmbedToken(caller)) return undefined
  const id = routeOptions.schema?.operationId
  const operation: BrowserOperation = (id === undefined ? undefined : browserOperations[id]) ?? {}
  return { token: caller.token, constraints: embedConstraintsOf(caller), operation }
}
