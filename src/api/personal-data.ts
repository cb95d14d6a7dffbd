import { type Caller, mayUse } from './caller.ts'
import type { App } from './routes.ts'

/** Who the buyers are and where they live (SEMANTICS §1.3). */
const SCOPE = 'buyers.billing-details.read'

/** Key pairs see what their other scopes open: they act for the shop, which knows its buyers anyway. Of people only those who need to. */
export const seesPersonalData = (caller: Caller): boolean => caller.actor.type === 'api-key-pair' || mayUse(caller, SCOPE)

const members = new Set(['billing_details', 'shipping_details', 'recipient', 'payer_email'])
/** Of a buyer's stored addresses, which are resources of their own. */
const ofAddresses = new Set(['first_name', 'last_name', 'email_address', 'phone_number', 'address'])
/** Of a line about others: what they were asked and answered, in words of theirs, in which nobody can tell a name from anything else. */
const ofExchanges = new Set(['request', 'response'])

const isStoredAddress = (value: object): boolean => 'type' in value && value.type === 'shipping-details'
const tellsOfOthers = (value: object): boolean =>
  'type' in value && value.type === 'transaction-event' && 'name' in value && !String(value.name).startsWith('transaction-api-')

/** A copy in which whatever tells who a buyer is and where they live is null. */
export function withoutPersonalData(value: unknown, hidden: ReadonlySet<string> = new Set()): unknown {
  if (Array.isArray(value)) return value.map((item) => withoutPersonalData(item))
  if (value === null || typeof value !== 'object') return value
  const own = isStoredAddress(value) ? ofAddresses : hidden
  const ofContext = tellsOfOthers(value) ? ofExchanges : undefined
  return Object.fromEntries(
    Object.entries(value).map(([name, inner]) => [
      name,
      members.has(name) || own.has(name) ? null : withoutPersonalData(inner, name === 'context' ? ofContext : undefined),
    ]),
  )
}

/** Answers to people who may not see it come without personal data, whatever resource it is part of. */
export function hidePersonalData(app: App): void {
  app.addHook('preSerialization', (request, _reply, payload, done) => {
    done(null, request.caller && !seesPersonalData(request.caller) ? withoutPersonalData(payload) : payload)
  })
}
