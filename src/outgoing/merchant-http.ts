import { Agent, type Dispatcher } from 'undici'
import { type AllowedDestinations, isAllowedAddress } from './address.ts'
import { ForbiddenAddress, guardedConnector } from './connection.ts'
import { type NameLookup, nameLookup } from './name-lookup.ts'
import { urlProblem } from './url-problem.ts'

/** Outgoing HTTP to URLs that merchants name: webhook receivers and their token servers. */
export interface MerchantHttp {
  /** Throws `MerchantUnreachable`. Follows no redirect: a 3xx is an answer like any other. */
  request(url: string, request: MerchantRequest): Promise<MerchantAnswer>
  close(): Promise<void>
}

export interface MerchantRequest {
  method: 'GET' | 'POST'
  headers: Record<string, string>
  body?: string
  /** Milliseconds, from the resolution of the name to the end of the answer. */
  timeout: number
}

export interface MerchantAnswer {
  status: number
  headers: Record<string, string>
  /**
   * The first `MAX_EXCERPT_LENGTH` bytes of the body, as UTF-8; U+0000, which PostgreSQL cannot store, is
   * replaced.
   */
  text: string
}

/** The receiver did not answer, or its address is not allowed. The message tells the merchant why. */
export class MerchantUnreachable extends Error {}

/**
 * The maximum number of connections to one origin. Further requests wait, and their timeout includes the
 * wait.
 */
export const CONNECTIONS = 40

/** How much of an answer is read, in bytes. */
export const MAX_EXCERPT_LENGTH = 64 * 1024

/** For tests: another resolver, and the authority of the receivers' certificates (PEM). */
interface MerchantHttpOverrides {
  lookup?: NameLookup
  ca?: string
}

/**
 * Sends requests only to URLs that `urlProblem` accepts, at allowed addresses. It ignores proxies that the
 * environment names.
 */
export function merchantHttp(
  allowed: AllowedDestinations,
  { lookup = nameLookup(), ca }: MerchantHttpOverrides = {},
): MerchantHttp {
  const agent = new Agent({
    connect: guardedConnector({ allows: (address) => isAllowedAddress(allowed, address), lookup, ca }),
    allowH2: false,
    keepAliveTimeout: 60_000,
    connections: CONNECTIONS,
  })
  return {
    async request(url, { method, headers, body, timeout }) {
      const problem = urlProblem(allowed, url)
      if (problem) throw new MerchantUnreachable(`the URL ${problem}`)
      const { origin, pathname, search } = new URL(url)
      return withTimeout(timeout, async (signal) => {
        const answer = await agent.request({
          origin,
          path: `${pathname}${search}`,
          method,
          headers,
          body: body ?? null,
          signal,
        })
        return {
          status: answer.statusCode,
          headers: single(answer.headers),
          text: await excerpt(answer.body),
        }
      })
    },
    close: () => agent.destroy(),
  }
}

/**
 * undici obeys a signal only once there is a connection; this timeout includes resolving the name and waiting
 * for a free connection.
 */
async function withTimeout<T>(timeout: number, request: (signal: AbortSignal) => Promise<T>): Promise<T> {
  const ending = new AbortController()
  const { promise: late, reject } = Promise.withResolvers<never>()
  const timer = setTimeout(() => {
    reject(new MerchantUnreachable('no answer in time'))
    ending.abort()
  }, timeout)
  try {
    return await Promise.race([request(ending.signal), late])
  } catch (error) {
    throw error instanceof MerchantUnreachable ? error : new MerchantUnreachable(reasonOf(error))
  } finally {
    clearTimeout(timer)
  }
}

/** The first bytes of an answer. The connection of a longer answer is closed, and the answer counts. */
async function excerpt(body: Dispatcher.ResponseData['body']): Promise<string> {
  const decoder = new TextDecoder()
  let text = ''
  let left = MAX_EXCERPT_LENGTH
  for await (const chunk of body) {
    const bytes: Uint8Array = chunk
    text += decoder.decode(bytes.subarray(0, left), { stream: true })
    left -= bytes.length
    if (left <= 0) break
  }
  return text.replaceAll('\0', '\uFFFD')
}

const single = (headers: Dispatcher.ResponseData['headers']): Record<string, string> =>
  Object.fromEntries(
    Object.entries(headers).map(([name, value]) => [
      name,
      Array.isArray(value) ? (value[0] ?? '') : (value ?? ''),
    ]),
  )

function reasonOf(error: unknown): string {
  if (error instanceof ForbiddenAddress) return 'the host leads to an address outside of the internet'
  const code =
    error instanceof Error && 'code' in error && typeof error.code === 'string' ? error.code : undefined
  return reasons[code ?? ''] ?? code ?? 'the connection broke'
}

const reasons: Partial<Record<string, string>> = {
  ENOTFOUND: 'the host has no address',
  EAI_AGAIN: 'the host could not be looked up',
  ECONNREFUSED: 'the connection was refused',
  ECONNRESET: 'the connection was reset',
  ETIMEDOUT: 'no connection in time',
  UND_ERR_SOCKET: 'the connection broke',
  ERR_TLS_CERT_ALTNAME_INVALID: 'the certificate is for another host',
  CERT_HAS_EXPIRED: 'the certificate has expired',
  DEPTH_ZERO_SELF_SIGNED_CERT: 'the certificate is self-signed',
  SELF_SIGNED_CERT_IN_CHAIN: 'the certificate is self-signed',
  UNABLE_TO_VERIFY_LEAF_SIGNATURE: 'the certificate cannot be verified',
}
