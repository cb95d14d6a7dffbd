import { elementScripts } from '../elements/assets.ts'
import { elementsUrl } from '../page/elements-url.ts'
import { type HostedScript, integrityOf } from '../page/hosted-page.ts'
import { payPageScripts } from '../payment-links/page/page-script.ts'
import { challengeScripts } from '../transactions/approval/challenge.page.ts'
import type { World } from '../world.ts'
import type { HostedPageScript } from './page-incident.schema.ts'

const scripts: readonly HostedScript[] = [...payPageScripts, ...elementScripts, ...challengeScripts]

/** The inventory of every hosted page's scripts, from the texts that the pages are made of. */
export const hostedScripts = (world: Pick<World, 'settings' | 'publicUrl'>): HostedPageScript[] =>
  scripts.map(({ page, purpose, ...script }) => ({
    type: 'hosted-page-script',
    page,
    ...('externalUrl' in script
      ? { url: script.externalUrl, integrity: null, size: null }
      : {
          url: script.path === null ? null : `${elementsUrl(world)}${script.path}`,
          integrity: integrityOf(script.source),
          size: Buffer.byteLength(script.source),
        }),
    purpose,
  }))
