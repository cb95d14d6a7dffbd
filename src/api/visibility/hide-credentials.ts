import type { FastifyRequest } from 'fastify'
import type { App } from '../app.ts'
import { type Caller, canUseScope } from '../auth/caller.ts'

/**
 * A member of answers with which its reader could act: a signing secret, or a URL whose token is its only
 * credential.
 */
interface Credential {
  /** The `type` of the resource. */
  resource: string
  /** The path within the resource, such as `payment_method.approval_url`. */
  member: string
  /** Callers with this scope get the value; the scope that reads the resource is not enough. */
  scope: string
  /** The value that other callers get in its place. */
  hide: (value: string) => string | null
}

const toNull = () => null
/** For a URL that may not be null in the contract. */
const withoutToken = (url: string) => url.replace(/[^/]+$/, '***')
/** User and query of a receiver's URL may be its credential. */
const withoutQuery = (url: string) => url.replace(/^([a-z]+:\/\/)[^/?#]*@/i, '$1').split(/[?#]/)[0] ?? url

/** Every credential that the answer to a GET could hold (semantics §0.17). */
export const credentials: readonly Credential[] = [
  { resource: 'anti-fraud-service', member: 'webhook_url', scope: 'anti-fraud-services.write', hide: toNull },
  { resource: 'payment-service', member: 'webhook_url', scope: 'payment-services.write', hide: toNull },
  { resource: 'webhook-subscription', member: 'secret', scope: 'webhook-subscriptions.write', hide: toNull },
  {
    resource: 'webhook-subscription',
    member: 'url',
    scope: 'webhook-subscriptions.write',
    hide: withoutQuery,
  },
  {
    resource: 'webhook-subscription',
    member: 'authentication.token_url',
    scope: 'webhook-subscriptions.write',
    hide: withoutQuery,
  },
  { resource: 'agentic-seller', member: 'secret', scope: 'agentic-seller.write', hide: toNull },
  { resource: 'agentic-seller', member: 'pricing_url', scope: 'agentic-seller.write', hide: withoutQuery },
  {
    resource: 'agentic-seller',
    member: 'order_events.url',
    scope: 'agentic-seller.write',
    hide: withoutQuery,
  },
  { resource: 'payment-link', member: 'url', scope: 'payment-links.write', hide: withoutToken },
  { resource: 'transaction', member: 'session_token', scope: 'transactions.write', hide: toNull },
  {
    resource: 'transaction',
    member: 'payment_method.approval_url',
    scope: 'transactions.write',
    hide: toNull,
  },
  { resource: 'payment-method', member: 'approval_url', scope: 'payment-methods.write', hide: toNull },
  { resource: 'payment-service-token', member: 'approval_url', scope: 'payment-methods.write', hide: toNull },
]

const resourcesWithCredentials = new Set(credentials.map(({ resource }) => resource))

/** The credentials that this caller does not get. */
const hiddenFrom = (caller: Caller): readonly Credential[] =>
  credentials.filter(({ scope }) => !canUseScope(caller, scope))

/** A copy of an answer in which these credentials are hidden. */
function withoutCredentials(value: unknown, hidden: readonly Credential[]): unknown {
  if (Array.isArray(value)) return value.map((item) => withoutCredentials(item, hidden))
  if (value === null || typeof value !== 'object') return value
  // a resource within a resource belongs to the outer one: a payment method within a transaction is part of
  // the transaction
  if ('type' in value && typeof value.type === 'string' && resourcesWithCredentials.has(value.type)) {
    const { type } = value
    return hidden
      .filter(({ resource }) => resource === type)
      .reduce<object>((shown, { member, hide }) => hideAt(shown, member.split('.'), hide), value)
  }
  return Object.fromEntries(
    Object.entries(value).map(([name, inner]) => [name, withoutCredentials(inner, hidden)]),
  )
}

function hideAt(
  value: object,
  [name = '', ...innerPath]: readonly string[],
  hide: Credential['hide'],
): object {
  const inner: unknown = Object.getOwnPropertyDescriptor(value, name)?.value
  if (typeof inner === 'string' && innerPath.length === 0) return { ...value, [name]: hide(inner) }
  return typeof inner === 'object' && inner !== null
    ? { ...value, [name]: hideAt(inner, innerPath, hide) }
    : value
}

/**
 * A POST answers the credential that it has just made or rotated. A POST that a read scope opens makes none.
 */
const answersNewCredential = ({ method, routeOptions: { config } }: FastifyRequest): boolean =>
  method === 'POST' && config.scopes !== 'public' && !config.scopes.some((scope) => scope.endsWith('.read'))

/** Hides credentials from callers that may only read a resource: they could act with them. */
export function hideCredentials(app: App): void {
  app.addHook('preSerialization', (request, _reply, payload, done) => {
    const hidden = !request.caller || answersNewCredential(request) ? [] : hiddenFrom(request.caller)
    done(null, hidden.length > 0 ? withoutCredentials(payload, hidden) : payload)
  })
}
