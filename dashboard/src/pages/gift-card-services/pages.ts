import { connectionWords as words } from '../../words/connections/connections.ts'
import type { PageEntry } from '../registry.ts'

const read = 'gift-card-services.read'

export const giftCardServicePages: readonly PageEntry[] = [
  {
    path: 'gift-card-services',
    load: () => import('./gift-card-services.page.tsx'),
    scope: read,
    nav: { group: 'connections', text: words.giftCardServices },
  },
  {
    path: 'gift-card-services/new',
    load: () => import('./new-gift-card-service.page.tsx'),
    scope: 'gift-card-services.write',
  },
  { path: 'gift-card-services/:id', load: () => import('./gift-card-service.page.tsx'), scope: read },
]
