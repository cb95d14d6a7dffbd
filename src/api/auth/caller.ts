import type { FastifyRequest } from 'fastify'
import { forbidden, invalidHeader, unauthorized } from '../errors.ts'
import { MERCHANT_ACCOUNT } from '../server/request-headers.ts'
import { isStorable } from '../server/validation.ts'
import { covers } from './scopes.ts'
import type { Token, TokenVerifier } from './token.ts'

/** Who acts: an API key pair, or a person. */
export interface Actor {
  type: 'api-key-pair' | 'user'
  id: string
  name: string
  /** A person's. */
  emailAddress: string | null
}

/** Who sent the request, and what they may do. */
export interface Caller {
  actor: Actor
  /** What the actor's roles open. */
  scopes: readonly string[]
  /** Empty: every account. */
  merchantAccountIds: readonly string[]
  /** A key pair's: true where it may act on several accounts and each request must name one. */
  mustNameAccount?: boolean
  /** What a key's bearer shows; it may open less than the roles do. A person has a session instead. */
  token?: Token
  /** A person's; `expiresAt` is when it ends at the latest. */
  session?: { id: string; expiresAt: string; mustEnroll: boolean }
}

/** Whoever is limited to some accounts does not learn of others. */
export const canSeeAccount = ({ merchantAccountIds }: Caller, id: string): boolean =>
  merchantAccountIds.length === 0 || merchantAccountIds.includes(id)

/** Whether the caller may use this scope. */
export const canUseScope = ({ scopes, token }: Caller, scope: string): boolean => covers(scopes, scope) && (!token || covers(token.scopes, scope))

declare module 'fastify' {
  interface FastifyRequest {
    /** The token's bearer. Absent on operations that need no bearer. */
    caller: Caller
    /** The merchant account that the request acts on; every query names it. */
    account: string
    /** The body as it came, where the route keeps it: a signature is over its bytes. */
    text: string
  }
  interface FastifyContextConfig {
    /** Any one of these opens the operation; `public` operations have another credential, or none (SEMANTICS §0.6). */
    scopes: readonly string[] | 'public'
    /** True where all of the scopes are needed. */
    everyScope?: boolean
    /** False where the operation does not belong to one merchant account (SEMANTICS §1.5). Default true. */
    merchantScoped?: boolean
    /** True where the path names the account, as `merchant_account_id`: whoever follows a link sends no header of ours. */
    accountInPath?: boolean
    keepsText?: boolean
  }
}

/** Where callers and accounts are looked up. */
export interface AccountDirectory {
  accountExists(id: string): Promise<boolean>
}

const bearer = /^Bearer +([A-Za-z0-9_-]+\.[A-Za-z0-9_-]+\.[A-Za-z0-9_-]+)$/i

/** Finds out who calls; throws 401. */
export type IdentifyCaller = (request: FastifyRequest) => Promise<Caller>

/** The bearer of a key pair's token. */
export const identifyByBearer =
  (verify: TokenVerifier): IdentifyCaller =>
  async ({ headers: { authorization } }) => {
    const text = bearer.exec(authorization ?? '')?.[1]
    if (!text) throw unauthorized(authorization === undefined ? 'no authorization header' : 'the authorization header is not `Bearer <JWT>`')
    const { token, key } = await verify(text)
    const actor: Actor = { type: 'api-key-pair', id: key.id, name: key.displayName, emailAddress: null }
    return { actor, scopes: key.scopes, merchantAccountIds: key.merchantAccountIds, mustNameAccount: key.mustNameAccount, token }
  }

/** Finds out who calls: 401. Then whether they may: 403 (SEMANTICS §1.2, order of verification). */
export function createAuthentication(identify: IdentifyCaller, directory: AccountDirectory) {
  return async (request: FastifyRequest): Promise<void> => {
    const { scopes, everyScope = false, merchantScoped = true } = request.routeOptions.config
    if (scopes === 'public' || request.is404) return
    const caller = await identify(request)
    request.caller = caller
    // further scopes of a browser's token would lead around what it pins
    const granted = (scope: string) => canUseScope(caller, scope) && (scope === 'embed' || !hasEmbedToken(caller))
    if (caller.session?.mustEnroll && !scopes.some(isOwnUserScope))
      throw forbidden('An authenticator app is required: set it up by POST /users/me/totp and /users/me/totp/confirm')
    if (!(everyScope ? scopes.every(granted) : scopes.some(granted)))
      throw forbidden(`This operation needs the scope ${scopes.join(everyScope ? ' and ' : ' or ')}`)
    if (merchantScoped) request.account = await chooseAccount(request, directory)
  }
}

/** What a person may do who must still set up an authenticator app. */
const isOwnUserScope = (scope: string) => scope === 'users.me.read' || scope === 'users.me.write'

/** Whether the caller came with a browser's token: its pinned values rule, and its rate is limited (SEMANTICS §1.4, SPEC §8). */
export const hasEmbedToken = (caller: Caller): caller is Caller & { token: Token } => caller.token?.scopes.includes('embed') === true

async function chooseAccount(request: FastifyRequest, directory: AccountDirectory): Promise<string> {
  const { merchantAccountIds: allowed, mustNameAccount, token } = request.caller
  const header = request.headers[MERCHANT_ACCOUNT]
  const asked = typeof header === 'string' && header !== '' ? header : undefined
  const linked = linkedAccount(request)
  if (linked !== undefined && asked && linked !== asked) throw forbidden('The link is of another merchant account than the header names')
  const pinned = token?.embed?.merchant_account_id
  if (pinned && (linked ?? asked ?? pinned) !== pinned) throw forbidden('The token is pinned to another merchant account')
  const named = linked ?? pinned ?? asked ?? (allowed.length === 1 ? allowed[0] : undefined)
  if (named === undefined && mustNameAccount) throw invalidHeader(MERCHANT_ACCOUNT, 'is required: the key pair may act on several merchant accounts')
  const account = named ?? 'default'
  const may = allowed.length === 0 || allowed.includes(account)
  if (may && isStorable(account) && (await directory.accountExists(account))) return account
  throw forbidden('The merchant account does not exist or you may not act on it')
}

/** The account of a link, which its path names. */
function linkedAccount({ routeOptions, params }: FastifyRequest): string | undefined {
  if (!routeOptions.config.accountInPath) return undefined
  const account: unknown = typeof params === 'object' && params !== null ? Reflect.get(params, 'merchant_account_id') : undefined
  return typeof account === 'string' ? account : undefined
}
