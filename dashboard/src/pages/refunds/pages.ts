import { moneyTitles } from '../../words/payments/money-titles.ts'
import type { PageEntry } from '../registry.ts'

export const refundPages: readonly PageEntry[] = [
  {
    path: 'refunds',
    load: () => import('./refunds.page.tsx'),
    scope: 'transactions.read',
    nav: { group: 'payments', text: moneyTitles.refunds },
  },
  { path: 'refunds/:id', load: () => import('./refund.page.tsx'), scope: 'transactions.read' },
  {
    path: 'payments/:id/refunds',
    load: () => import('./refunds-of-payment.page.tsx'),
    scope: 'transactions.read',
  },
]
