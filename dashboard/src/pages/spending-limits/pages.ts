import { approvalTitles } from '../../words/approvals/approval-titles.ts'
import type { PageEntry } from '../registry.ts'

export const spendingLimitPages: readonly PageEntry[] = [
  {
    path: 'spending-limits',
    load: () => import('./spending-limits.page.tsx'),
    scope: 'spending-limits.read',
    nav: { group: 'settings', text: approvalTitles.spendingLimits },
  },
]
