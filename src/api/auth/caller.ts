import type { FastifyRequest } from 'fastify'
import { forbidden, invalidHeader, unauthorized } from '../errors.ts'
import { MERCHANT_ACCOUNT } from '../server/request-headers.ts'
import { isStorable } from '../server/validation.ts'
import { covers } from './scopes.ts'
import type { Token, TokenVerifier } from './token.ts'

/** The API key pair or the person that acts. */
export interface Actor {
  type: 'api-key-pair' | 'user'
  id: string
  name: string
  /** A person's; null for a key pair. */
  emailAddress: string | null
}

/** The actor of a request, and what they may do. */
export interface Caller {
  actor: Actor
  /** The scopes of the actor's roles. */
  scopes: readonly string[]
  /** Empty: every account. */
  merchantAccountIds: readonly string[]
  /** Of a key pair: true if it may act on several accounts and each request must name one. */
  mustNameAccount?: boolean
  /**
   * Of a key pair: the bearer token, which may open less than the roles do. A person has a session instead.
   */
  token?: Token
  /** Of a person; `expiresAt` is when it ends at the latest. */
  session?: { id: string; expiresAt: string; mustEnroll: boolean }
}

/** Whether the caller may know that this merchant account exists. */
export const canSeeAccount = ({ merchantAccountIds }: Caller, id: string): boolean =>
  merchantAccountIds.length === 0 || merchantAccountIds.includes(id)

/** Whether both the caller's roles and the token, if there is one, cover this scope. */
export const canUseScope = ({ scopes, token }: Caller, scope: string): boolean =>
  covers(scopes, scope) && (!token || covers(token.scopes, scope))

declare module 'fastify' {
  interface FastifyInstance {
    /** Identifies the caller of a request again, for an answer that goes on for long. */
    identify: IdentifyCaller
  }
  interface FastifyRequest {
    /** Absent on public operations. */
    caller: Caller
    /** The merchant account that the request acts on; every query names it. */
    account: string
    /** The body as it was sent, on routes with `keepsText`: a signature is over its bytes. */
    text: string
  }
  interface FastifyContextConfig {
    /**
     * Any one of these opens the operation; `public` operations have another credential, or none (semantics
     * §0.6).
     */
    scopes: readonly string[] | 'public'
    /** True: the operation needs all of the scopes. */
    everyScope?: boolean
    /** False: the operation does not belong to one merchant account (semantics §1.5). Default true. */
    merchantScoped?: boolean
    /**
     * True: the path names the account, as `merchant_account_id`. A browser that follows a link does not send
     * the account's header.
     */
    accountInPath?: boolean
    /** True: `request.text` has the body as it was sent. */
    keepsText?: boolean
  }
}

/** Looks up merchant accounts. */
export interface AccountDirectory {
  accountExists(id: string): Promise<boolean>
}

const bearer = /^Bearer +([A-Za-z0-9_-]+\.[A-Za-z0-9_-]+\.[A-Za-z0-9_-]+)$/i

/** Identifies the caller of a request; throws 401. */
export type IdentifyCaller = (request: FastifyRequest) => Promise<Caller>

/** Identifies the key pair of a bearer token. */
export const identifyByBearer =
  (verify: TokenVerifier): IdentifyCaller =>
  async ({ headers: { authorization } }) => {
    const text = bearer.exec(authorization ?? '')?.[1]
    if (!text)
      throw unauthorized(
        authorization === undefined
          ? 'no authorization header'
          : 'the authorization header is not `Bearer <JWT>`',
      )
    const { token, key } = await verify(text)
    const actor: Actor = { type: 'api-key-pair', id: key.id, name: key.displayName, emailAddress: null }
    return {
      actor,
      scopes: key.scopes,
      merchantAccountIds: key.merchantAccountIds,
      mustNameAccount: key.mustNameAccount,
      token,
    }
  }

/**
 * Identifies the caller (401), then checks what they may do (403) and chooses the merchant account (semantics
 * §1.2, order of verification).
 */
export function createAuthentication(identify: IdentifyCaller, directory: AccountDirectory) {
  return async (request: FastifyRequest): Promise<void> => {
    const { scopes, everyScope = false, merchantScoped = true } = request.routeOptions.config
    if (scopes === 'public' || request.is404) return
    const caller = await identify(request)
    request.caller = caller
    // other scopes of a browser's token do not count: they would lead around its embed constraints
    const isGranted = (scope: string) =>
      canUseScope(caller, scope) && (scope === 'embed' || !hasEmbedToken(caller))
    if (caller.session?.mustEnroll && !scopes.some(isOwnUserScope))
      throw forbidden(
        'An authenticator app is required: set it up by POST /users/me/totp and /users/me/totp/confirm',
      )
    if (!(everyScope ? scopes.every(isGranted) : scopes.some(isGranted)))
      throw forbidden(`This operation needs the scope ${scopes.join(everyScope ? ' and ' : ' or ')}`)
    if (merchantScoped) request.account = await chooseAccount(request, directory)
  }
}

/** The scopes of a person who must still set up an authenticator app. */
const isOwnUserScope = (scope: string) => scope === 'users.me.read' || scope === 'users.me.write'

/**
 * Whether the caller has a browser's token: its embed constraints apply, and its rate is limited (semantics
 * §1.4, API §8).
 */
export const hasEmbedToken = (caller: Caller): caller is Caller & { token: Token } =>
  caller.token?.scopes.includes('embed') === true

/**
 * The merchant account that the request acts on: of the link, the token or the header, else the only one of
 * the caller, else `default`. Throws 403 if these contradict each other, or the caller may not act on the
 * account; 400 if the key pair needs the header and it is missing.
 */
async function chooseAccount(request: FastifyRequest, directory: AccountDirectory): Promise<string> {
  const { merchantAccountIds: allowed, mustNameAccount, token } = request.caller
  const header = request.headers[MERCHANT_ACCOUNT]
  const ofHeader = typeof header === 'string' && header !== '' ? header : undefined
  const ofLink = linkedAccount(request)
  if (ofLink !== undefined && ofHeader && ofLink !== ofHeader)
    throw forbidden('The link is of another merchant account than the header names')
  const ofToken = token?.embed?.merchant_account_id
  if (ofToken && (ofLink ?? ofHeader ?? ofToken) !== ofToken)
    throw forbidden('The token is pinned to another merchant account')
  const named = ofLink ?? ofToken ?? ofHeader ?? (allowed.length === 1 ? allowed[0] : undefined)
  if (named === undefined && mustNameAccount)
    throw invalidHeader(MERCHANT_ACCOUNT, 'is required: the key pair may act on several merchant accounts')
  const account = named ?? 'default'
  const isAllowed = allowed.length === 0 || allowed.includes(account)
  if (isAllowed && isStorable(account) && (await directory.accountExists(account))) return account
  throw forbidden('The merchant account does not exist or you may not act on it')
}

/** The account that the path of a link names; undefined on other routes. */
function linkedAccount({ routeOptions, params }: FastifyRequest): string | undefined {
  if (!routeOptions.config.accountInPath) return undefined
  const account: unknown =
    typeof params === 'object' && params !== null ? Reflect.get(params, 'merchant_account_id') : undefined
  return typeof account === 'string' ? account : undefined
}
