import { type PeriodicTask, startPeriodicTask } from '../base/periodic-task.ts'
import { MAX_EXCERPT_LENGTH, MerchantUnreachable } from '../outgoing/merchant-http.ts'
import { unknownLinkPage } from '../payment-links/page/page.routes.ts'
import type { World } from '../world.ts'
import { recordFinding } from './page-incident.store.ts'

const HOUR_MS = 3_600_000
const TIMEOUT_MS = 10_000
const LANGUAGE = 'en'

/** The headers that keep foreign scripts from a page. */
const protectingHeaders = ['content-security-policy', 'x-content-type-options']

/**
 * Requests the page for unknown payment links at PUBLIC_URL, as a buyer's browser would, and compares it with the
 * page that Railyard sends: a proxy, a content delivery network or an intruder between the two may have changed
 * it (PCI DSS 4.0.1, 11.6.1). Answers the parts that differ; undefined: the page could not be requested, or a
 * proxy answered that Railyard is not available.
 */
export async function findChanges(world: World): Promise<string[] | undefined> {
  const expected = unknownLinkPage(world, LANGUAGE)
  try {
    const { status, headers, text } = await world.merchantHttp.request(`${world.publicUrl}/pay`, {
      method: 'GET',
      headers: { accept: 'text/html', 'accept-language': LANGUAGE, 'accept-encoding': 'identity' },
      timeout: TIMEOUT_MS,
    })
    if (status === 429 || status >= 500) throw new MerchantUnreachable(`the answer was ${status}`)
    const isSame = text === expected.document.slice(0, MAX_EXCERPT_LENGTH)
    return [
      ...(status === 404 ? [] : ['status']),
      ...protectingHeaders.filter((name) => headers[name] !== expected.headers[name]),
      ...(isSame ? [] : ['document']),
    ]
  } catch (error) {
    if (!(error instanceof MerchantUnreachable)) throw error
    world.log.info({ reason: error.message }, 'the hosted pages could not be checked at PUBLIC_URL')
    return undefined
  }
}

/**
 * Checks the hosted pages every hour. A difference opens an incident when two checks in a row find it: during
 * an upgrade a process of another version may answer.
 */
export function startPageChecks(world: World): PeriodicTask {
  let before: readonly string[] = []
  return startPeriodicTask(
    HOUR_MS,
    async () => {
      const changes = (await findChanges(world)) ?? []
      const confirmed = changes.filter((subject) => before.includes(subject))
      before = changes
      for (const subject of confirmed)
        await recordFinding(world, { account: 'default', page: 'payment-link', kind: 'changed', subject })
      return confirmed.length
    },
    (error) =>
      world.log.error({ err: error }, 'the hosted pages could not be checked; the next round tries again'),
  )
}
