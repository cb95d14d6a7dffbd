import { settingsWords as words } from '../../words/settings/settings.ts'
import type { PageEntry } from '../registry.ts'

export const profilePages: readonly PageEntry[] = [
  {
    path: 'profile',
    load: () => import('./profile.page.tsx'),
    scope: 'users.me.read',
    nav: { group: 'settings', text: words.profile },
  },
]
