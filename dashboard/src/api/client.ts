import {
  createRailyard,
  type ProposalCreate,
  type Railyard,
  RailyardError,
  type Session,
} from '@railyard/client'
import { backgroundHeader, isPersonAway } from './activity.ts'
import { type Attempt, attemptOf } from './idempotency-keys.ts'
import { basePath } from './place.ts'

/** A request as a proposal names it. */
export type SentRequest = Pick<ProposalCreate, 'method' | 'path' | 'body'>

/** The requests of attempts and their idempotency keys, by their headers; those that were refused, by their error. */
const sent = new WeakMap<object, SentRequest>()
const refused = new WeakMap<object, SentRequest>()
const attempts = new WeakMap<object, Attempt>()
const approvable: readonly string[] = ['approval_required', 'spending_limit_exceeded']

/** The request that failed with this error, if other people can approve it. */
export const requestToApprove = (error: unknown): SentRequest | undefined =>
  error instanceof RailyardError && approvable.includes(error.code) ? refused.get(error) : undefined

/**
 * A client that sends the session's cookie, and the token that proves that a request comes from this page.
 * Without an account: for what concerns the person alone.
 */
export const clientOf = (session: Session | undefined, merchantAccount?: string): Railyard =>
  createRailyard({
    baseUrl: `${location.origin}${basePath}`,
    merchantAccount,
    telemetry:
      ({ headers }) =>
      ({ status, error }) => {
        const request = sent.get(headers)
        if (status === 403 && request && error instanceof RailyardError) refused.set(error, request)
        // an error of 2xx: the answer cannot be read, or its end was lost
        if (error === undefined) attempts.get(headers)?.answered()
      },
    fetch: async (url, init = {}) => {
      const headers = init.headers as Record<string, string>
      if (init.method !== 'GET') sent.set(headers, requestOf(String(url), init))
      const attempt = await attemptOf(String(url), init, headers)
      if (attempt) attempts.set(headers, attempt)
      return fetch(url, {
        ...init,
        credentials: 'same-origin',
        headers: {
          ...headers,
          ...(attempt && { 'idempotency-key': attempt.key }),
          'x-csrf-token': session?.csrf_token ?? '',
          ...(isPersonAway() && backgroundHeader),
        },
      })
    },
  })

const requestOf = (url: string, { method, body }: RequestInit): SentRequest => ({
  method: method as SentRequest['method'],
  path: new URL(url).pathname.slice(basePath.length),
  ...(typeof body === 'string' && { body: JSON.parse(body) }),
})

/** Whether an error says that the session has ended, or that there is none. */
export const isSignedOut = (error: unknown): boolean => error instanceof RailyardError && error.status === 401

/** What is wrong with each member of a body, by its JSON pointer such as `/amount`. */
export function problemsOf(error: unknown): Record<string, string> {
  if (!(error instanceof RailyardError)) return {}
  return Object.fromEntries(
    error.details.flatMap(({ pointer, message }) => (pointer ? [[pointer, message]] : [])),
  )
}
