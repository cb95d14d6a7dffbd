import { financeTitles as titles } from '../../words/finance/finance-titles.ts'
import type { PageEntry } from '../registry.ts'

export const reportPages: readonly PageEntry[] = [
  {
    path: 'reports',
    load: () => import('./reports.page.tsx'),
    scope: 'reports.read',
    nav: { group: 'finance', text: titles.reports },
  },
  { path: 'reports/files', load: () => import('./executions.page.tsx'), scope: 'reports.read' },
  { path: 'reports/new', load: () => import('./new-report.page.tsx'), scope: 'reports.write' },
  { path: 'reports/:id', load: () => import('./report.page.tsx'), scope: 'reports.read' },
]
