import { moneyTitles } from '../../words/payments/money-titles.ts'
import type { PageEntry } from '../registry.ts'

export const giftCardPages: readonly PageEntry[] = [
  {
    path: 'gift-cards',
    load: () => import('./gift-cards.page.tsx'),
    scope: 'gift-cards.read',
    nav: { group: 'payments', text: moneyTitles.giftCards },
  },
  { path: 'gift-cards/:id', load: () => import('./gift-card.page.tsx'), scope: 'gift-cards.read' },
]
