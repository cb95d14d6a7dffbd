import { type Caller, mayUse } from './caller.ts'
import type { App } from './routes.ts'

/** Who the buyers are and where they live (SEMANTICS §1.3). */
const SCOPE = 'buyers.billing-details.read'

/** Key pairs see what their other scopes open: they act for the shop, which knows its buyers anyway. Of people only those who need to. */
export const seesPersonalData = (caller: Caller): boolean => caller.actor.type === 'api-key-pair' || mayUse(caller, SCOPE)

const members = new Set(['billing_details', 'shipping_details'])
/** Of a buyer's stored addresses, which are resources of their own. */
const ofAddresses = new Set(['first_name', 'last_name', 'email_address', 'phone_number', 'address'])

/** A copy in which whatever tells who a buyer is and where they live is null. */
export function withoutPersonalData(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(withoutPersonalData)
  if (value === null || typeof value !== 'object') return value
  const isAddress = 'type' in value && value.type === 'shipping-details'
  const isHidden = (name: string) => members.has(name) || (isAddress && ofAddresses.has(name))
  return Object.fromEntries(Object.entries(value).map(([name, inner]) => [name, isHidden(name) ? null : withoutPersonalData(inner)]))
}

/** Answers to people who may not see it come without personal data, whatever resource it is part of. */
export function hidePersonalData(app: App): void {
  app.addHook('preSerialization', (request, _reply, payload, done) => {
    done(null, request.caller && !seesPersonalData(request.caller) ? withoutPersonalData(payload) : payload)
  })
}
