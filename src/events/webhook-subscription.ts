import { SECRET_MASK } from '../accounts/merchant-account.ts'
import type { Caller } from '../api/caller.ts'
import { urlProblem } from '../outgoing/url-problem.ts'
import type { Settings } from '../settings.ts'
import type { WebhookAuthenticationCreate } from './webhook-subscription.schema.ts'
import type { WebhookAuthentication } from './webhook-subscription.store.ts'

/** Whose subscriptions a request sees: those of its account, and those of the instance where the caller is limited to no account. */
export interface Visible {
  /** Null: of none. */
  account: string | null
  ofInstance: boolean
}

export const visibleTo = ({ merchantAccountIds, token }: Caller, account: string): Visible => ({
  account,
  ofInstance: merchantAccountIds.length === 0 && !token?.embed?.merchant_account_id,
})

/** What was sent, with each secret that is only its mask taken from what is known. */
export function withKnownSecrets(given: WebhookAuthenticationCreate, known: WebhookAuthentication | null): WebhookAuthentication {
  const password = (text: string) => (text === SECRET_MASK && known && 'password' in known ? known.password : text)
  const clientSecret = (text: string) => (text === SECRET_MASK && known && 'client_secret' in known ? known.client_secret : text)
  if (!('client_id' in given)) return { kind: 'basic', username: given.username, password: password(given.password) }
  const { client_id, token_url, scope = null } = given
  const client = { client_id, client_secret: clientSecret(given.client_secret), token_url, scope }
  return 'username' in given
    ? { kind: 'oauth_password', ...client, username: given.username, password: password(given.password) }
    : { kind: 'oauth_client_credentials', ...client }
}

const nothingToKeep = 'is the mask of a secret, and there is none yet that it could stand for'

/** What is wrong with what was sent: JSON pointer → message. Empty: nothing. */
export function brokenRules(
  settings: Settings,
  { url, authentication }: { url?: string | null; authentication?: WebhookAuthentication | null },
): Record<string, string> {
  const { username, password, client_secret, token_url }: Partial<Record<string, string | null>> = authentication ?? {}
  const problems = {
    '/url': typeof url === 'string' ? urlProblem(settings, url) : undefined,
    '/authentication/token_url': typeof token_url === 'string' ? urlProblem(settings, token_url) : undefined,
    // RFC 7617 §2: the first colon ends the name
    '/authentication/username': authentication?.kind === 'basic' && username?.includes(':') ? 'must not hold a colon' : undefined,
    '/authentication/password': password === SECRET_MASK ? nothingToKeep : undefined,
    '/authentication/client_secret': client_secret === SECRET_MASK ? nothingToKeep : undefined,
  }
  return Object.fromEntries(Object.entries(problems).flatMap(([pointer, message]) => (message === undefined ? [] : [[pointer, message]])))
}
