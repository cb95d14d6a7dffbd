import { approvalTitles } from '../../words/approvals/approval-titles.ts'
import type { PageEntry } from '../registry.ts'

/** Approvers see every proposal, and those who can propose something see their own. */
const scope = [
  'approvals.read',
  'transactions.write',
  'transactions.correct',
  'payouts.write',
  'flows.write',
  'api-key-pairs.write',
  'users.write',
  'payment-services.write',
  'gift-card-services.write',
  'anti-fraud-services.write',
  'digital-wallets.write',
  'apple-pay-certificates.write',
  'merchant-accounts.write',
  'erasures.write',
  'approval-policies.write',
  'spending-limits.write',
]

export const approvalPages: readonly PageEntry[] = [
  {
    path: 'approvals',
    load: () => import('./approvals.page.tsx'),
    scope,
    nav: { group: 'payments', text: approvalTitles.approvals, attention: 'approvals' },
  },
  { path: 'approvals/:id', load: () => import('./approval.page.tsx'), scope },
]
