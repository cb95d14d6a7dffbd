import { developerWords as words } from '../../words/developers/developers.ts'
import type { PageEntry } from '../registry.ts'

export const apiKeyPages: readonly PageEntry[] = [
  {
    path: 'api-keys',
    load: () => import('./api-keys.page.tsx'),
    scope: 'api-key-pairs.read',
    nav: { group: 'developers', text: words.apiKeys },
  },
  { path: 'api-keys/:id', load: () => import('./api-key.page.tsx'), scope: 'api-key-pairs.read' },
]
