import { badGateway } from '../api/errors.ts'
import { currentAheadMs } from '../base/account-clock.ts'
import { CLOCK_OFFSET_HEADER } from '../connectors/http.ts'

/** No payment service is asked here, so its time limit is none of this. In milliseconds. */
const TIMEOUT_MS = 10_000

/**
 * Asks the simulators about themselves (`control.ts`), in the account's time: over HTTP, as they may run in a process of their own. Throws 502 where they cannot be
 * reached.
 */
export async function requestSimulator<T = unknown>(
  simulatorUrl: string,
  method: 'GET' | 'POST' | 'PUT',
  path: string,
  body?: unknown,
): Promise<{ status: number; said: T & { message?: string } }> {
  const answer = await fetch(`${simulatorUrl}${path}`, {
    method,
    headers: { 'content-type': 'application/json', [CLOCK_OFFSET_HEADER]: String(currentAheadMs()) },
    body: body === undefined ? null : JSON.stringify(body),
    signal: AbortSignal.timeout(TIMEOUT_MS),
  }).catch(() => {
    throw badGateway("The sandbox's providers cannot be reached")
  })
  return { status: answer.status, said: (await answer.json()) as T & { message?: string } }
}
