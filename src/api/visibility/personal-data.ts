import type { FastifyRequest } from 'fastify'
import type { App } from '../app.ts'
import { type Caller, canUseScope } from '../auth/caller.ts'
import { forbidden } from '../errors.ts'
import { PERSONAL } from '../schema.ts'
import { type Mask, maskOf, type SpecialMasks, unchanged } from './personal-mask.ts'

/** The scope for buyers' names, addresses and other personal data (semantics §1.3). */
const PERSONAL_DATA_SCOPE = 'buyers.billing-details.read'

/** Key pairs need no extra scope: they act for the shop, which knows its buyers. People need it. */
export const canSeePersonalData = (caller: Caller): boolean =>
  caller.actor.type === 'api-key-pair' || canUseScope(caller, PERSONAL_DATA_SCOPE)

/**
 * Hides members that an answer's schema marks as `restricted` from callers that may not see personal data,
 * and refuses their filters by such members: whether a filter finds something would tell the value. `special`
 * has the masks of open shapes, by title.
 */
export function hidePersonalData(app: App, special: SpecialMasks): void {
  const masks = new WeakMap<object, Mask>()
  const hide = (schema: object, payload: unknown): unknown => {
    const mask = masks.get(schema) ?? maskOf(schema, ['restricted'], special) ?? unchanged
    masks.set(schema, mask)
    return mask(payload)
  }
  app.addHook('preSerialization', (request, reply, payload, done) => {
    if (!request.caller || canSeePersonalData(request.caller)) return done(null, payload)
    const schema = answerSchema(request, reply.statusCode)
    done(null, schema ? hide(schema, payload) : payload)
  })
  app.addHook('onRoute', (route) => {
    const filters = personalFilters(route.schema?.querystring)
    if (filters.length === 0) return
    const refuse = async ({ caller, query }: FastifyRequest) => {
      const used = filters.filter((name) => hasFilter(query, name))
      if (caller && used.length > 0 && !canSeePersonalData(caller))
        throw forbidden(`Filtering by ${used.join(', ')} needs the scope ${PERSONAL_DATA_SCOPE}`)
    }
    route.preHandler = [refuse, ...[route.preHandler ?? []].flat()]
  })
}

/** The schema of the answer; undefined for an error, which every operation answers in the same shape. */
function answerSchema({ routeOptions }: FastifyRequest, status: number): object | undefined {
  const answers: unknown = routeOptions.schema?.response
  const schema: unknown =
    typeof answers === 'object' && answers !== null
      ? Object.getOwnPropertyDescriptor(answers, status)?.value
      : undefined
  return typeof schema === 'object' && schema !== null ? schema : undefined
}

/** The names of the query parameters that are marked as `restricted`. */
function personalFilters(querystring: unknown): string[] {
  if (typeof querystring !== 'object' || querystring === null || !('properties' in querystring)) return []
  const { properties } = querystring
  if (typeof properties !== 'object' || properties === null) return []
  return Object.entries(properties).flatMap(([name, schema]) =>
    schema?.[PERSONAL] === 'restricted' ? [name] : [],
  )
}

const hasFilter = (query: unknown, name: string): boolean =>
  typeof query === 'object' &&
  query !== null &&
  (Object.getOwnPropertyDescriptor(query, name)?.value ?? null) !== null
