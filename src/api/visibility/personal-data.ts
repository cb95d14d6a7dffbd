import type { FastifyRequest } from 'fastify'
import type { App } from '../app.ts'
import { type Caller, canUseScope } from '../auth/caller.ts'
import { forbidden } from '../errors.ts'
import { PERSONAL } from '../schema.ts'
import { type Mask, maskOf, type SpecialMasks } from './personal-mask.ts'

/** Who the buyers are and where they live (SEMANTICS §1.3). */
const PERSONAL_DATA_SCOPE = 'buyers.billing-details.read'

/** Key pairs see what their other scopes open: they act for the shop, which knows its buyers anyway. Of people only those who need to. */
export const canSeePersonalData = (caller: Caller): boolean => caller.actor.type === 'api-key-pair' || canUseScope(caller, PERSONAL_DATA_SCOPE)

/**
 * Callers who may not see personal data get answers without what their schemas mark as `restricted`, and may not filter by it: whether a filter finds something would
 * tell what it is. `special`: masks of open shapes, by title.
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

const unchanged: Mask = (value) => value

/** Undefined: an error, which every operation answers in the same shape. */
function answerSchema({ routeOptions }: FastifyRequest, status: number): object | undefined {
  const answers: unknown = routeOptions.schema?.response
  const schema: unknown = typeof answers === 'object' && answers !== null ? Object.getOwnPropertyDescriptor(answers, status)?.value : undefined
  return typeof schema === 'object' && schema !== null ? schema : undefined
}

function personalFilters(querystring: unknown): string[] {
  if (typeof querystring !== 'object' || querystring === null || !('properties' in querystring)) return []
  const { properties } = querystring
  if (typeof properties !== 'object' || properties === null) return []
  return Object.entries(properties).flatMap(([name, schema]) => (schema?.[PERSONAL] === 'restricted' ? [name] : []))
}

const hasFilter = (query: unknown, name: string): boolean =>
  typeof query === 'object' && query !== null && (Object.getOwnPropertyDescriptor(query, name)?.value ?? null) !== null
