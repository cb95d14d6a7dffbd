import { moneyTitles } from '../../words/payments/money-titles.ts'
import type { PageEntry } from '../registry.ts'

export const checkoutSessionPages: readonly PageEntry[] = [
  {
    path: 'checkout-sessions',
    load: () => import('./checkout-sessions.page.tsx'),
    scope: 'checkout-sessions.read',
    nav: { group: 'payments', text: moneyTitles.checkoutSessions },
  },
]
