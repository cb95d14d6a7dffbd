import { Agent, errors } from 'undici'

/** Outgoing HTTP to addresses that merchants name: webhook receivers and what gives out tokens for them. */
export interface MerchantHttp {
  /** Throws `NotReached`. No redirect is followed: a 3xx is an answer like another. */
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
  /** The first `LONGEST_EXCERPT` characters. */
  text: string
}

/** Nobody answered, or nobody was to be asked; the message says why, for the merchant. */
export class NotReached extends Error {}

/** What is kept of an answer. */
export const LONGEST_EXCERPT = 64 * 1024

export function merchantHttp(): MerchantHttp {
  const agent = new Agent({ connect: { timeout: 3_000 }, keepAliveTimeout: 60_000, connections: 32, maxResponseSize: 1024 * 1024 })
  return {
    async request(url, { method, headers, body, timeout }) {
      try {
        const { origin, pathname, search } = new URL(url)
        const path = `${pathname}${search}`
        const answer = await agent.request({ origin, path, method, headers, body: body ?? null, signal: AbortSignal.timeout(timeout) })
        const text = (await answer.body.text()).slice(0, LONGEST_EXCERPT)
        return { status: answer.statusCode, headers: single(answer.headers), text }
      } catch (error) {
        throw new NotReached(reasonOf(error))
      }
    },
    close: () => agent.destroy(),
  }
}

const single = (headers: Record<string, string | string[] | undefined>): Record<string, string> =>
  Object.fromEntries(Object.entries(headers).map(([name, value]) => [name, Array.isArray(value) ? (value[0] ?? '') : (value ?? '')]))

function reasonOf(error: unknown): string {
  if (error instanceof Error && error.name === 'TimeoutError') return 'no answer in time'
  const code = error instanceof errors.UndiciError || (error instanceof Error && 'code' in error) ? String(error.code) : undefined
  return code ?? 'the connection broke'
}
