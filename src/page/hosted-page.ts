import { createHash } from 'node:crypto'
import type { World } from '../world.ts'

/** The pages and frames of Railyard that buyers' browsers open. */
export const hostedPageNames = ['payment-link', 'card-fields', 'checkout', 'challenge'] as const
export type HostedPageName = (typeof hostedPageNames)[number]

/** A script that a hosted page runs (PCI DSS 4.0.1, 6.4.3). Every other script is blocked by the page's policy. */
export type HostedScript = {
  page: HostedPageName
  /** Why the page needs it. */
  purpose: string
} & (OwnScript | { externalUrl: string })

interface OwnScript {
  /** The path below the URL of card fields; null: the script is within the page. */
  path: string | null
  source: string
}

/** The hash by which a policy or an `integrity` attribute allows a text. */
export const integrityOf = (text: string): string =>
  `sha256-${createHash('sha256').update(text).digest('base64')}`

/** The credential of the URL to which a browser reports what the policy of a page has blocked. */
export const reportProof = (
  { cipher }: Pick<World, 'cipher'>,
  account: string,
  page: HostedPageName,
): string => cipher.mac('browser-report', `${account}/${page}`).toString('base64url')

/**
 * Where browsers report what the policy of a page has blocked: the value of `report-uri`, which every browser
 * knows and sends to at once. `account` is the merchant account of the page.
 */
export const reportUrl = (
  world: Pick<World, 'cipher' | 'publicUrl'>,
  account: string,
  page: HostedPageName,
): string => `${world.publicUrl}/browser-reports/${account}/${page}/${reportProof(world, account, page)}`
