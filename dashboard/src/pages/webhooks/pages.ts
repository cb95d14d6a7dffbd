import { developerWords as words } from '../../words/developers/developers.ts'
import type { PageEntry } from '../registry.ts'

const scope = 'webhook-subscriptions.read'

export const webhookPages: readonly PageEntry[] = [
  {
    path: 'webhooks',
    load: () => import('./webhooks.page.tsx'),
    scope,
    nav: { group: 'developers', text: words.webhooks, attention: 'webhooks' },
  },
  { path: 'webhooks/:id', load: () => import('./webhook.page.tsx'), scope },
  { path: 'webhooks/:id/deliveries/:delivery', load: () => import('./delivery.page.tsx'), scope },
]
