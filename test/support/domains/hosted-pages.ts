import { expect } from 'vitest'
import { type HostedPageName, reportProof } from '../../../src/page/hosted-page.ts'
import type { Client, TestRailyard } from '../railyard.ts'

/** The path to which a browser reports what was blocked on a page of this account. */
export const reportPath = (
  { world }: Pick<TestRailyard, 'world'>,
  account: string,
  page: HostedPageName = 'payment-link',
) => `/browser-reports/${account}/${page}/${reportProof(world, account, page)}`

/** A report of the Reporting API. */
export const cspReport = (effectiveDirective: string, blockedURL: string, more: object = {}) => ({
  type: 'csp-violation',
  age: 1,
  url: 'https://pay.example/pay/secret-of-the-link',
  user_agent: 'Mozilla/5.0',
  body: { effectiveDirective, blockedURL, disposition: 'enforce', ...more },
})

/** Opens an incident as a browser that has blocked a script. Answers its id. */
export async function openedPageIncident(
  railyard: TestRailyard,
  shop: Client,
  origin = 'https://evil.example',
): Promise<string> {
  const answer = await railyard.send('POST', reportPath(railyard, shop.account), {
    headers: { 'content-type': 'application/reports+json' },
    body: JSON.stringify([cspReport('script-src-elem', `${origin}/skimmer.js?card=1`)]),
  })
  expect(answer.status).toBe(204)
  const [incident] = (await shop.get('/hosted-pages/incidents')).body.items
  return incident?.id ?? expect.fail('no incident was opened')
}
