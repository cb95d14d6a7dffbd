import type { FastifyRequest } from 'fastify'
import { forbidden, unauthorized } from './errors.ts'
import { covers } from './scopes.ts'
import type { SigningKey, Token, TokenVerifier } from './token.ts'

/** Who sent the request, and for which merchant account. */
export interface Caller {
  key: SigningKey
  token: Token
}

/** A key that is limited to some accounts does not learn of others. */
export const seesAccount = ({ key }: Caller, id: string): boolean => key.merchantAccountIds.length === 0 || key.merchantAccountIds.includes(id)

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
    keepsText?: boolean
  }
}

/** Where callers and accounts are looked up. */
export interface Directory {
  accountExists(id: string): Promise<boolean>
}

const bearer = /^Bearer +([A-Za-z0-9_-]+\.[A-Za-z0-9_-]+\.[A-Za-z0-9_-]+)$/i

/** Finds out who calls: 401. Then whether they may: 403 (SEMANTICS §1.2, order of verification). */
export function authentication(verify: TokenVerifier, directory: Directory) {
  return async (request: FastifyRequest): Promise<void> => {
    const { scopes, everyScope = false, merchantScoped = true } = request.routeOptions.config
    if (scopes === 'public' || request.is404) return
    const { authorization } = request.headers
    const text = bearer.exec(authorization ?? '')?.[1]
    if (!text) throw unauthorized(authorization === undefined ? 'no authorization header' : 'the authorization header is not `Bearer <JWT>`')
    const { token, key } = await verify(text)
    request.caller = { token, key }
    const granted = (scope: string) => covers(token.scopes, scope) && covers(key.scopes, scope)
    if (!(everyScope ? scopes.every(granted) : scopes.some(granted)))
      throw forbidden(`This operation needs the scope ${scopes.join(everyScope ? ' and ' : ' or ')}`)
    if (merchantScoped) request.account = await chooseAccount(request, directory)
  }
}

/** Whether the caller came with a browser's token: its pinned values rule, and its rate is limited (SEMANTICS §1.4, SPEC §8). */
export const isEmbedded = ({ token }: Caller): boolean => token.scopes.includes('embed')

async function chooseAccount(request: FastifyRequest, directory: Directory): Promise<string> {
  const { key, token } = request.caller
  const header = request.headers['x-svc-merchant-account-id']
  const asked = typeof header === 'string' && header !== '' ? header : undefined
  const pinned = token.embed?.merchant_account_id
  if (pinned && asked && pinned !== asked) throw forbidden('The token is pinned to another merchant account')
  const allowed = key.merchantAccountIds
  const account = pinned ?? asked ?? (allowed.length === 1 ? allowed[0] : undefined) ?? 'default'
  const may = allowed.length === 0 || allowed.includes(account)
  if (may && (await directory.accountExists(account))) return account
  throw forbidden('The merchant account does not exist or this key may not act on it')
}
