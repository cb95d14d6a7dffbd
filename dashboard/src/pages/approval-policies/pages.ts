import { approvalTitles } from '../../words/approvals/approval-titles.ts'
import type { PageEntry } from '../registry.ts'

export const approvalPolicyPages: readonly PageEntry[] = [
  {
    path: 'approval-policies',
    load: () => import('./approval-policies.page.tsx'),
    scope: 'approval-policies.read',
    nav: { group: 'settings', text: approvalTitles.policies },
  },
]
