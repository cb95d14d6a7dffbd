import type { Caller } from '../../api/auth/caller.ts'
import { SECRET_MASK } from '../../api/values/secret-mask.ts'
import { urlProblem } from '../../outgoing/url-problem.ts'
import type { Settings } from '../../settings.ts'
import type { WebhookAuthenticationCreate } from './webhook-subscription.schema.ts'

/**
 * The subscriptions that a request may see: those of its account, and those of the instance if the caller is
 * not limited to accounts.
 */
export interface VisibleSubscriptions {
  /** Null: those of no account. */
  account: string | null
  ofInstance: boolean
}

export const subscriptionsVisibleTo = (
  { merchantAccountIds, token }: Caller,
  account: string,
): VisibleSubscriptions => ({
  account,
  ofInstance: merchantAccountIds.length === 0 && !token?.embed?.merchant_account_id,
})

/**
 * The authentication of a request, in which each secret that is only its mask is replaced by the stored one.
 * A password stays with its kind: a password for the receiver is not sent to a token endpoint, nor the other
 * way round.
 */
export function restoreMaskedSecrets(
  requested: WebhookAuthenticationCreate,
  stored: WebhookAuthentication | null,
): WebhookAuthentication {
  const password = (kind: 'basic' | 'oauth_password', text: string) =>
    text === SECRET_MASK && stored?.kind === kind ? stored.password : text
  const clientSecret = (text: string) =>
    text === SECRET_MASK && stored && 'client_secret' in stored ? stored.client_secret : text
  if (!('client_id' in requested))
    return { kind: 'basic', username: requested.username, password: password('basic', requested.password) }
  const { client_id, token_url, scope = null } = requested
  const client = { client_id, client_secret: clientSecret(requested.client_secret), token_url, scope }
  return 'username' in requested
    ? {
        kind: 'oauth_password',
        ...client,
        username: requested.username,
        password: password('oauth_password', requested.password),
      }
    : { kind: 'oauth_client_credentials', ...client }
}

/**
 * Stored secrets are not sent to another server: a caller who may change a URL, but may not see the secrets,
 * could otherwise have them sent to a server of their own. So a request that moves the receiver or its token
 * endpoint to another origin must send the secrets again. Answers JSON pointer → message; empty: no problem.
 */
export function movedSecretsProblems(
  before: { url: string; authentication: WebhookAuthentication | null },
  after: { url: string; authentication: WebhookAuthenticationCreate | null | undefined },
): Record<string, string> {
  const stored = before.authentication
  const requested = after.authentication
  if (stored === null || requested === null || (requested !== undefined && !hasMaskedSecret(requested)))
    return {}
  if (!haveSameOrigin(before.url, after.url))
    return {
      '/authentication':
        'must be given again with its secrets, or be null, as the URL leads to another server',
    }
  const tokenUrl = 'token_url' in stored ? stored.token_url : null
  const isMoved =
    requested &&
    'token_url' in requested &&
    (tokenUrl === null || !haveSameOrigin(tokenUrl, requested.token_url))
  return isMoved
    ? { '/authentication/client_secret': 'must be given again, as token_url leads to another server' }
    : {}
}

const hasMaskedSecret = (requested: WebhookAuthenticationCreate): boolean =>
  ('password' in requested && requested.password === SECRET_MASK) ||
  ('client_secret' in requested && requested.client_secret === SECRET_MASK)

/** A text that is no URL is refused elsewhere. */
const haveSameOrigin = (one: string, other: string): boolean =>
  URL.canParse(one) && URL.canParse(other) ? new URL(one).origin === new URL(other).origin : one === other

const NO_SECRET_FOR_MASK = 'is the mask of a secret, and there is none of this kind that it could stand for'

/** The problems of a subscription's URL and authentication: JSON pointer → message. Empty: no problem. */
export function webhookSubscriptionProblems(
  settings: Settings,
  { url, authentication }: { url?: string | null; authentication?: WebhookAuthentication | null },
): Record<string, string> {
  const { username, password, client_secret, token_url }: Partial<Record<string, string | null>> =
    authentication ?? {}
  const problems = {
    '/url': typeof url === 'string' ? urlProblem(settings, url) : undefined,
    '/authentication/token_url': typeof token_url === 'string' ? urlProblem(settings, token_url) : undefined,
    // RFC 7617 §2: the first colon ends the name
    '/authentication/username':
      authentication?.kind === 'basic' && username?.includes(':') ? 'must not hold a colon' : undefined,
    '/authentication/password': password === SECRET_MASK ? NO_SECRET_FOR_MASK : undefined,
    '/authentication/client_secret': client_secret === SECRET_MASK ? NO_SECRET_FOR_MASK : undefined,
  }
  return Object.fromEntries(
    Object.entries(problems).flatMap(([pointer, message]) =>
      message === undefined ? [] : [[pointer, message]],
    ),
  )
}

/** What a receiver asks for besides the signature (semantics §15.1). */
export type WebhookAuthentication =
  | { kind: 'basic'; username: string; password: string }
  | {
      kind: 'oauth_client_credentials'
      client_id: string
      client_secret: string
      token_url: string
      scope: string | null
    }
  | {
      kind: 'oauth_password'
      client_id: string
      client_secret: string
      token_url: string
      scope: string | null
      username: string
      password: string
    }
