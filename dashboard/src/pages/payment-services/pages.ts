import { connectionWords as words } from '../../words/connections/connections.ts'
import type { PageEntry } from '../registry.ts'

const read = 'payment-services.read'
const write = 'payment-services.write'

export const paymentServicePages: readonly PageEntry[] = [
  {
    path: 'payment-services',
    load: () => import('./payment-services.page.tsx'),
    scope: read,
    nav: { group: 'connections', text: words.paymentServices, attention: 'payment-services' },
  },
  { path: 'payment-services/new', load: () => import('./catalogue.page.tsx'), scope: write },
  {
    path: 'payment-services/new/:definition',
    load: () => import('./new-payment-service.page.tsx'),
    scope: write,
  },
  { path: 'payment-services/:id', load: () => import('./payment-service.page.tsx'), scope: read },
  { path: 'payment-services/:id/edit', load: () => import('./edit-payment-service.page.tsx'), scope: write },
]
