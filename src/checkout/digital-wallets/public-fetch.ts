import { Agent, request } from 'undici'
import { isGlobalUnicast } from '../../outgoing/address.ts'
import { guardedConnector } from '../../outgoing/connection.ts'
import { nameLookup } from '../../outgoing/name-lookup.ts'

const TIMEOUT_MS = 5_000
const MAX_BYTES = 64 * 1024

/**
 * The text of a page of the public internet; undefined: it could not be fetched. Redirects are not followed.
 */
export async function fetchPublicText(url: string): Promise<string | undefined> {
  const agent = new Agent({
    connect: guardedConnector({ allows: isGlobalUnicast, lookup: nameLookup() }),
    allowH2: false,
    maxResponseSize: MAX_BYTES,
  })
  try {
    const { statusCode, body } = await request(url, {
      dispatcher: agent,
      signal: AbortSignal.timeout(TIMEOUT_MS),
    })
    const text = await body.text()
    return statusCode === 200 ? text : undefined
  } catch {
    return undefined
  } finally {
    void agent.destroy()
  }
}
