import { isSandbox } from '../../api/place.ts'
import { developerWords as words } from '../../words/developers/developers.ts'
import type { PageEntry } from '../registry.ts'

/** In production there is no such page. */
export const sandboxPages: readonly PageEntry[] = isSandbox
  ? [
      {
        path: 'sandbox',
        load: () => import('./sandbox.page.tsx'),
        scope: 'merchant-accounts.read',
        nav: { group: 'developers', text: words.sandbox, sandboxOnly: true },
      },
    ]
  : []
