import { financeTitles as titles } from '../../words/finance/finance-titles.ts'
import type { PageEntry } from '../registry.ts'

export const reconciliationPages: readonly PageEntry[] = [
  {
    path: 'reconciliation',
    load: () => import('./unmatched-lines.page.tsx'),
    scope: 'reports.read',
    nav: { group: 'finance', text: titles.reconciliation, attention: 'reconciliation' },
  },
  {
    path: 'reconciliation/not-settled',
    load: () => import('./not-settled.page.tsx'),
    scope: 'transactions.read',
  },
]
