import { badGateway } from '../api/errors.ts'
import { currentAheadMs } from '../base/account-clock.ts'
import { CLOCK_OFFSET_HEADER } from '../connectors/wire/http.ts'

/** The payment services' time limit does not apply here. In milliseconds. */
const TIMEOUT_MS = 10_000

/**
 * Sends a control request to the simulators (`control.ts`) in the account's time, over HTTP since they may
 * run in another process. Throws 502 if they cannot be reached.
 */
export async function requestSimulator<T = unknown>(
  simulatorUrl: string,
  method: 'GET' | 'POST' | 'PUT',
  path: string,
  body?: unknown,
): Promise<{ status: number; answer: T & { message?: string } }> {
  const response = await fetch(`${simulatorUrl}${path}`, {
    method,
    headers: { 'content-type': 'application/json', [CLOCK_OFFSET_HEADER]: String(currentAheadMs()) },
    body: body === undefined ? null : JSON.stringify(body),
    signal: AbortSignal.timeout(TIMEOUT_MS),
  }).catch(() => {
    throw badGateway("The sandbox's providers cannot be reached")
  })
  return { status: response.status, answer: (await response.json()) as T & { message?: string } }
}
