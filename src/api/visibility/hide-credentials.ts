import type { FastifyRequest } from 'fastify'
import type { App } from '../app.ts'
import { type Caller, canUseScope } from '../auth/caller.ts'

/** A member of answers whose value is all that its reader needs to act: a signing secret, or a URL whose token is its only credential. */
interface Credential {
  /** The `type` of the resource that it belongs to. */
  resource: string
  /** Where it stands within the resource, e.g. `payment_method.approval_url`. */
  member: string
  /** Opens it. Reading the resource does not. */
  scope: string
  /** What other callers are shown in its place. */
  hide: (value: string) => string | null
}

const toNull = () => null
/** The member may not be null in the contract. */
const withoutToken = (url: string) => url.replace(/[^/]+$/, '***')
/** What follows the path may be the receiver's credential. */
const withoutQuery = (url: string) => url.replace(/^([a-z]+:\/\/)[^/?#]*@/i, '$1').split(/[?#]/)[0] ?? url

/** Every credential that the answer to a GET could hold (SEMANTICS §0.17). */
export const credentials: readonly Credential[] = [
  { resource: 'anti-fraud-service', member: 'webhook_url', scope: 'anti-fraud-services.write', hide: toNull },
  { resource: 'payment-service', member: 'webhook_url', scope: 'payment-services.write', hide: toNull },
  { resource: 'webhook-subscription', member: 'secret', scope: 'webhook-subscriptions.write', hide: toNull },
  { resource: 'webhook-subscription', member: 'url', scope: 'webhook-subscriptions.write', hide: withoutQuery },
  { resource: 'webhook-subscription', member: 'authentication.token_url', scope: 'webhook-subscriptions.write', hide: withoutQuery },
  { resource: 'payment-link', member: 'url', scope: 'payment-links.write', hide: withoutToken },
  { resource: 'transaction', member: 'session_token', scope: 'transactions.write', hide: toNull },
  { resource: 'transaction', member: 'payment_method.approval_url', scope: 'transactions.write', hide: toNull },
  { resource: 'payment-method', member: 'approval_url', scope: 'payment-methods.write', hide: toNull },
  { resource: 'payment-service-token', member: 'approval_url', scope: 'payment-methods.write', hide: toNull },
]

const resources = new Set(credentials.map(({ resource }) => resource))

/** What this caller is not shown. */
const hiddenFrom = (caller: Caller): readonly Credential[] => credentials.filter(({ scope }) => !canUseScope(caller, scope))

/** A copy in which these credentials are hidden. */
function withoutCredentials(value: unknown, closed: readonly Credential[]): unknown {
  if (Array.isArray(value)) return value.map((item) => withoutCredentials(item, closed))
  if (value === null || typeof value !== 'object') return value
  // what a resource holds is its own: a payment method within a transaction is part of that
  if ('type' in value && typeof value.type === 'string' && resources.has(value.type)) {
    const { type } = value
    return closed
      .filter(({ resource }) => resource === type)
      .reduce<object>((shown, { member, hide }) => hideAt(shown, member.split('.'), hide), value)
  }
  return Object.fromEntries(Object.entries(value).map(([name, inner]) => [name, withoutCredentials(inner, closed)]))
}

function hideAt(value: object, [name = '', ...rest]: readonly string[], hidden: Credential['hide']): object {
  const inner: unknown = Object.getOwnPropertyDescriptor(value, name)?.value
  if (typeof inner === 'string' && rest.length === 0) return { ...value, [name]: hidden(inner) }
  return typeof inner === 'object' && inner !== null ? { ...value, [name]: hideAt(inner, rest, hidden) } : value
}

/** A POST answers what it has just made or rotated, and credentials are shown then; one that a read scope opens only looks. */
const answersNewCredential = ({ method, routeOptions: { config } }: FastifyRequest): boolean =>
  method === 'POST' && config.scopes !== 'public' && !config.scopes.some((scope) => scope.endsWith('.read'))

/** Callers who may only read a resource are answered without its credentials: they could act with them. */
export function hideCredentials(app: App): void {
  app.addHook('preSerialization', (request, _reply, payload, done) => {
    const closed = !request.caller || answersNewCredential(request) ? [] : hiddenFrom(request.caller)
    done(null, closed.length > 0 ? withoutCredentials(payload, closed) : payload)
  })
}
