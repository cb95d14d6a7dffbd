import { settingsWords as words } from '../../words/settings/settings.ts'
import type { PageEntry } from '../registry.ts'

export const peoplePages: readonly PageEntry[] = [
  {
    path: 'people',
    load: () => import('./people.page.tsx'),
    scope: 'users.read',
    nav: { group: 'settings', text: words.people },
  },
  { path: 'people/:id', load: () => import('./person.page.tsx'), scope: 'users.read' },
]
