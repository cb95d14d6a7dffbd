import { settingsWords as words } from '../../words/settings/settings.ts'
import type { PageEntry } from '../registry.ts'

const scope = 'merchant-accounts.read'

export const merchantAccountPages: readonly PageEntry[] = [
  {
    path: 'merchant-accounts',
    load: () => import('./merchant-accounts.page.tsx'),
    scope,
    nav: { group: 'settings', text: words.merchantAccounts },
  },
  { path: 'merchant-accounts/:id', load: () => import('./merchant-account.page.tsx'), scope },
]
