import { type HostedScript, integrityOf } from '../page/hosted-page.ts'
import { payPageScripts } from '../payment-links/page/page-script.ts'
import { challengeScripts } from '../transactions/approval/challenge.page.ts'
import type { World } from '../world.ts'
import type { HostedPageScript } from './page-incident.schema.ts'

const scripts: readonly HostedScript[] = [...payPageScripts, ...challengeScripts]

/** The inventory of every hosted page's scripts, from the texts that the pages are made of. */
export const hostedScripts = ({ publicUrl }: Pick<World, 'publicUrl'>): HostedPageScript[] =>
  scripts.map(({ page, path, source, purpose }) => ({
    type: 'hosted-page-script',
    page,
    url: path === null ? null : `${publicUrl}${path}`,
    integrity: integrityOf(source),
    size: Buffer.byteLength(source),
    purpose,
  }))
