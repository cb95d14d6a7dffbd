import { financeTitles as titles } from '../../words/finance/finance-titles.ts'
import type { PageEntry } from '../registry.ts'

export const insightPages: readonly PageEntry[] = [
  {
    path: 'insights',
    load: () => import('./insights.page.tsx'),
    scope: 'metrics-explorer.read',
    nav: { group: 'finance', text: titles.insights },
  },
]
