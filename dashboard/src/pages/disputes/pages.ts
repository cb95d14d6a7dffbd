import { moneyTitles } from '../../words/payments/money-titles.ts'
import type { PageEntry } from '../registry.ts'

export const disputePages: readonly PageEntry[] = [
  {
    path: 'disputes',
    load: () => import('./disputes.page.tsx'),
    scope: 'disputes.read',
    nav: { group: 'payments', text: moneyTitles.disputes, attention: 'disputes' },
  },
  { path: 'disputes/:id', load: () => import('./dispute.page.tsx'), scope: 'disputes.read' },
]
