import { homeWords as words } from '../../words/home.ts'
import type { PageEntry } from '../registry.ts'

export const homePages: readonly PageEntry[] = [
  { path: '', load: () => import('./home.page.tsx'), nav: { group: 'payments', text: words.title } },
]
