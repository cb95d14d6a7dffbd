import { moneyTitles } from '../../words/payments/money-titles.ts'
import type { PageEntry } from '../registry.ts'

export const paymentLinkPages: readonly PageEntry[] = [
  {
    path: 'payment-links',
    load: () => import('./payment-links.page.tsx'),
    scope: 'payment-links.read',
    nav: { group: 'payments', text: moneyTitles.paymentLinks },
  },
  {
    path: 'payment-links/new',
    load: () => import('./new-payment-link.page.tsx'),
    scope: 'payment-links.write',
  },
  { path: 'payment-links/:id', load: () => import('./payment-link.page.tsx'), scope: 'payment-links.read' },
]
