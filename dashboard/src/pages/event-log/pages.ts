import { developerWords as words } from '../../words/developers/developers.ts'
import type { PageEntry } from '../registry.ts'

export const eventLogPages: readonly PageEntry[] = [
  {
    path: 'event-log',
    load: () => import('./event-log.page.tsx'),
    scope: 'webhook-subscriptions.read',
    nav: { group: 'developers', text: words.eventLog },
  },
]
