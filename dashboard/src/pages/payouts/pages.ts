import { moneyTitles } from '../../words/payments/money-titles.ts'
import type { PageEntry } from '../registry.ts'

export const payoutPages: readonly PageEntry[] = [
  {
    path: 'payouts',
    load: () => import('./payouts.page.tsx'),
    scope: 'payouts.read',
    nav: { group: 'payments', text: moneyTitles.payouts },
  },
  { path: 'payouts/:id', load: () => import('./payout.page.tsx'), scope: 'payouts.read' },
]
