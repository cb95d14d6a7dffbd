import type { RailyardError } from '../errors/railyard-error.ts'
import type { OperationCall } from './operation-call.ts'

/** The longest wait between two attempts, in milliseconds, that is not asked for by the answer. */
const LONGEST_BACKOFF_MS = 8_000
/** An answer that asks for a longer wait is the caller's. */
const LONGEST_RETRY_AFTER_MS = 60_000
const FIRST_BACKOFF_MS = 500

/** Railyard answers these before it has carried anything out. */
const notCarriedOut: readonly number[] = [425, 429, 503]

/**
 * Whether the same request may be sent again. Without a whole answer, and with a 504, which a proxy may have
 * sent, it may have been carried out: then a POST is sent again only where the operation keeps idempotency keys.
 */
export function mayRepeat({ verb, keepsKeys }: OperationCall, error: RailyardError): boolean {
  const { status, code, retryAfterMs } = error
  if (notCarriedOut.includes(status)) return true
  if (status === 409) return code === 'concurrent_request' && retryAfterMs !== undefined
  if (verb === 'GET' && (status === 408 || status === 500 || status === 502)) return true
  const isUndecided = status === 504 || code === 'timeout' || code === 'connection_failed'
  return isUndecided && (verb !== 'POST' || keepsKeys)
}

/** How long to wait before attempt `attempt` + 1, in milliseconds; undefined: it is not sent again. */
export function retryDelay(error: RailyardError, attempt: number, retries: number): number | undefined {
  if (!error.retryable || attempt >= retries) return undefined
  const backoff = Math.min(FIRST_BACKOFF_MS * 2 ** attempt, LONGEST_BACKOFF_MS)
  // half of it at random, so that clients that failed together do not come back together
  const wait = backoff / 2 + Math.random() * (backoff / 2)
  const { retryAfterMs = 0 } = error
  return retryAfterMs > LONGEST_RETRY_AFTER_MS ? undefined : Math.max(wait, retryAfterMs)
}

/** Rejects with the signal's reason when it is aborted first. */
export const sleep = (ms: number, signal: AbortSignal | undefined): Promise<void> =>
  new Promise((resolve, reject) => {
    const abort = () => {
      clearTimeout(timer)
      reject(signal?.reason)
    }
    const timer = setTimeout(() => {
      signal?.removeEventListener('abort', abort)
      resolve()
    }, ms)
    if (signal?.aborted) abort()
    else signal?.addEventListener('abort', abort, { once: true })
  })
