import { settingsWords as words } from '../../words/settings/settings.ts'
import type { PageEntry } from '../registry.ts'

export const auditLogPages: readonly PageEntry[] = [
  {
    path: 'audit-log',
    load: () => import('./audit-log.page.tsx'),
    scope: 'audit-logs.read',
    nav: { group: 'settings', text: words.auditLog },
  },
]
