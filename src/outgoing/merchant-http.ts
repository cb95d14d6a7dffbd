import { Agent, type Dispatcher } from 'undici'
import { type AllowedDestinations, isAllowedAddress } from './address.ts'
import { ForbiddenAddress, guardedConnector } from './connection.ts'
import { type NameLookup, nameLookup } from './name-lookup.ts'
import { urlProblem } from './url-problem.ts'

/** Outgoing HTTP to addresses that merchants name: webhook receivers and what gives out tokens for them. */
export interface MerchantHttp {
  /** Throws `MerchantUnreachable`. No redirect is followed: a 3xx is an answer like another. */
  request(url: string, request: MerchantRequest): Promise<MerchantAnswer>
  close(): Promise<void>
}

export interface MerchantRequest {
  method: 'GET' | 'POST'
  headers: Record<string, string>
  body?: string
  /** Milliseconds, for everything from the name's resolution to the end of the answer. */
  timeout: number
}

export interface MerchantAnswer {
  status: number
  headers: Record<string, string>
  /** The first `MAX_EXCERPT_LENGTH` bytes of it, as UTF-8; what a database cannot store is replaced. */
  text: string
}

/** Nobody answered, or nobody was to be asked; the message says why, for the merchant. */
export class MerchantUnreachable extends Error {}

/** To one origin at a time. Whoever asks for more waits, and within the time that its receiver has. */
export const CONNECTIONS = 40

/** What is read of an answer, in bytes. */
export const MAX_EXCERPT_LENGTH = 64 * 1024

/** For tests: another resolver, and whom the receivers' certificates are from (PEM). */
interface MerchantHttpOverrides {
  lookup?: NameLookup
  ca?: string
}

/** Asks only where `urlProblem` finds nothing wrong, and only addresses that are allowed. Proxies that the environment names are not used. */
export function merchantHttp(places: AllowedDestinations, { lookup = nameLookup(), ca }: MerchantHttpOverrides = {}): MerchantHttp {
  const agent = new Agent({
    connect: guardedConnector({ allows: (address) => isAllowedAddress(places, address), lookup, ca }),
    allowH2: false,
    keepAliveTimeout: 60_000,
    connections: CONNECTIONS,
  })
  return {
    async request(url, { method, headers, body, timeout }) {
      const problem = urlProblem(places, url)
      if (problem) throw new MerchantUnreachable(`the URL ${problem}`)
      const { origin, pathname, search } = new URL(url)
      return withTimeout(timeout, async (signal) => {
        const answer = await agent.request({ origin, path: `${pathname}${search}`, method, headers, body: body ?? null, signal })
        return { status: answer.statusCode, headers: single(answer.headers), text: await excerpt(answer.body) }
      })
    },
    close: () => agent.destroy(),
  }
}

/** undici heeds a signal only once there is a connection: the time in which a name is resolved, or all connections are in use, counts as well. */
async function withTimeout<T>(timeout: number, ask: (signal: AbortSignal) => Promise<T>): Promise<T> {
  const ending = new AbortController()
  const { promise: late, reject } = Promise.withResolvers<never>()
  const timer = setTimeout(() => {
    reject(new MerchantUnreachable('no answer in time'))
    ending.abort()
  }, timeout)
  try {
    return await Promise.race([ask(ending.signal), late])
  } catch (error) {
    throw error instanceof MerchantUnreachable ? error : new MerchantUnreachable(reasonOf(error))
  } finally {
    clearTimeout(timer)
  }
}

/** The connection of a longer answer is given up, and the answer counts all the same. */
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
  Object.fromEntries(Object.entries(headers).map(([name, value]) => [name, Array.isArray(value) ? (value[0] ?? '') : (value ?? '')]))

function reasonOf(error: unknown): string {
  if (error instanceof ForbiddenAddress) return 'the host leads to an address outside of the internet'
  const code = error instanceof Error && 'code' in error && typeof error.code === 'string' ? error.code : undefined
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
