import { connectionWords as words } from '../../words/connections/connections.ts'
import type { PageEntry } from '../registry.ts'

export const fraudPages: readonly PageEntry[] = [
  {
    path: 'fraud',
    load: () => import('./fraud.page.tsx'),
    scope: 'merchant-accounts.read',
    nav: { group: 'connections', text: words.fraud, attention: 'fraud' },
  },
  {
    path: 'fraud/services/new',
    load: () => import('./new-anti-fraud-service.page.tsx'),
    scope: 'anti-fraud-services.write',
  },
  {
    path: 'fraud/services/:id',
    load: () => import('./anti-fraud-service.page.tsx'),
    scope: 'anti-fraud-services.read',
  },
]
