import type { Caller } from '../../api/auth/caller.ts'
import { SECRET_MASK } from '../../api/values/secret-mask.ts'
import { urlProblem } from '../../outgoing/url-problem.ts'
import type { Settings } from '../../settings.ts'
import type { WebhookAuthenticationCreate } from './webhook-subscription.schema.ts'

/** Whose subscriptions a request sees: those of its account, and those of the instance where the caller is limited to no account. */
export interface VisibleSubscriptions {
  /** Null: of none. */
  account: string | null
  ofInstance: boolean
}

export const subscriptionsVisibleTo = ({ merchantAccountIds, token }: Caller, account: string): VisibleSubscriptions => ({
  account,
  ofInstance: merchantAccountIds.length === 0 && !token?.embed?.merchant_account_id,
})

/**
 * What was sent, with each secret that is only its mask taken from what is known. A password stays with its kind: one that is for the receiver is not sent to
 * what gives out tokens, nor the other way round.
 */
export function restoreMaskedSecrets(given: WebhookAuthenticationCreate, known: WebhookAuthentication | null): WebhookAuthentication {
  const password = (kind: 'basic' | 'oauth_password', text: string) => (text === SECRET_MASK && known?.kind === kind ? known.password : text)
  const clientSecret = (text: string) => (text === SECRET_MASK && known && 'client_secret' in known ? known.client_secret : text)
  if (!('client_id' in given)) return { kind: 'basic', username: given.username, password: password('basic', given.password) }
  const { client_id, token_url, scope = null } = given
  const client = { client_id, client_secret: clientSecret(given.client_secret), token_url, scope }
  return 'username' in given
    ? { kind: 'oauth_password', ...client, username: given.username, password: password('oauth_password', given.password) }
    : { kind: 'oauth_client_credentials', ...client }
}

/**
 * Secrets do not follow a subscription to another place: whoever may change a URL, and not see the secret, could have it sent to a server of their own. So
 * they are given again where the receiver, or what gives out its tokens, is at another origin from now on. JSON pointer → message; empty: nothing is wrong.
 */
export function movedSecretsProblems(
  before: { url: string; authentication: WebhookAuthentication | null },
  after: { url: string; authentication: WebhookAuthenticationCreate | null | undefined },
): Record<string, string> {
  const { authentication: known } = before
  const { authentication: given } = after
  if (known === null || given === null || (given !== undefined && !hasMaskedSecret(given))) return {}
  if (!haveSameOrigin(before.url, after.url))
    return { '/authentication': 'must be given again with its secrets, or be null, as the URL leads to another server' }
  const tokenUrl = 'token_url' in known ? known.token_url : null
  const moved = given && 'token_url' in given && (tokenUrl === null || !haveSameOrigin(tokenUrl, given.token_url))
  return moved ? { '/authentication/client_secret': 'must be given again, as token_url leads to another server' } : {}
}

const hasMaskedSecret = (given: WebhookAuthenticationCreate): boolean =>
  ('password' in given && given.password === SECRET_MASK) || ('client_secret' in given && given.client_secret === SECRET_MASK)

/** Whatever is no URL is refused elsewhere. */
const haveSameOrigin = (one: string, other: string): boolean =>
  URL.canParse(one) && URL.canParse(other) ? new URL(one).origin === new URL(other).origin : one === other

const NO_SECRET_FOR_MASK = 'is the mask of a secret, and there is none of this kind that it could stand for'

/** What is wrong with what was sent: JSON pointer → message. Empty: nothing. */
export function webhookSubscriptionProblems(
  settings: Settings,
  { url, authentication }: { url?: string | null; authentication?: WebhookAuthentication | null },
): Record<string, string> {
  const { username, password, client_secret, token_url }: Partial<Record<string, string | null>> = authentication ?? {}
  const problems = {
    '/url': typeof url === 'string' ? urlProblem(settings, url) : undefined,
    '/authentication/token_url': typeof token_url === 'string' ? urlProblem(settings, token_url) : undefined,
    // RFC 7617 §2: the first colon ends the name
    '/authentication/username': authentication?.kind === 'basic' && username?.includes(':') ? 'must not hold a colon' : undefined,
    '/authentication/password': password === SECRET_MASK ? NO_SECRET_FOR_MASK : undefined,
    '/authentication/client_secret': client_secret === SECRET_MASK ? NO_SECRET_FOR_MASK : undefined,
  }
  return Object.fromEntries(Object.entries(problems).flatMap(([pointer, message]) => (message === undefined ? [] : [[pointer, message]])))
}

/** What a receiver asks for besides the signature (SEMANTICS §15.1). */
export type WebhookAuthentication =
  | { kind: 'basic'; username: string; password: string }
  | { kind: 'oauth_client_credentials'; client_id: string; client_secret: string; token_url: string; scope: string | null }
  | {
      kind: 'oauth_password'
      client_id: string
      client_secret: string
      token_url: string
      scope: string | null
      username: string
      password: string
    }
