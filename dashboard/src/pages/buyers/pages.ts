import { moneyTitles } from '../../words/payments/money-titles.ts'
import type { PageEntry } from '../registry.ts'

export const buyerPages: readonly PageEntry[] = [
  {
    path: 'buyers',
    load: () => import('./buyers.page.tsx'),
    scope: 'buyers.read',
    nav: { group: 'payments', text: moneyTitles.buyers },
  },
  { path: 'buyers/:id', load: () => import('./buyer.page.tsx'), scope: 'buyers.read' },
  { path: 'buyers/:id/erasure', load: () => import('./buyer-erasure.page.tsx'), scope: 'buyers.read' },
  {
    path: 'payments/:id/erasure',
    load: () => import('./payment-erasure.page.tsx'),
    scope: 'transactions.read',
  },
]
