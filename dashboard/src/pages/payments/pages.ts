import { moneyTitles } from '../../words/payments/money-titles.ts'
import type { PageEntry } from '../registry.ts'

export const paymentPages: readonly PageEntry[] = [
  {
    path: 'payments',
    load: () => import('./payments.page.tsx'),
    scope: 'transactions.read',
    nav: { group: 'payments', text: moneyTitles.payments, attention: 'payments' },
  },
  { path: 'payments/:id', load: () => import('./payment.page.tsx'), scope: 'transactions.read' },
]
