import { financeTitles as titles } from '../../words/finance/finance-titles.ts'
import type { PageEntry } from '../registry.ts'

const scope = 'monitoring.read'

export const monitoringPages: readonly PageEntry[] = [
  {
    path: 'monitoring',
    load: () => import('./metrics.page.tsx'),
    scope,
    nav: { group: 'finance', text: titles.monitoring, attention: 'monitoring' },
  },
  { path: 'monitoring/metrics/:id', load: () => import('./metric.page.tsx'), scope },
  { path: 'monitoring/incidents', load: () => import('./incidents.page.tsx'), scope },
  { path: 'monitoring/incidents/:id', load: () => import('./incident.page.tsx'), scope },
  { path: 'monitoring/hosted-pages', load: () => import('./hosted-pages.page.tsx'), scope },
  { path: 'monitoring/hosted-pages/:id', load: () => import('./page-incident.page.tsx'), scope },
]
