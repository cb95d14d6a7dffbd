import { moneyTitles } from '../../words/payments/money-titles.ts'
import type { PageEntry } from '../registry.ts'

export const storedMethodPages: readonly PageEntry[] = [
  {
    path: 'stored-methods',
    load: () => import('./stored-methods.page.tsx'),
    scope: 'payment-methods.read',
    nav: { group: 'payments', text: moneyTitles.storedMethods },
  },
  {
    path: 'stored-methods/:id',
    load: () => import('./stored-method.page.tsx'),
    scope: 'payment-methods.read',
  },
]
