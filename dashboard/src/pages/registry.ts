import type { ComponentType } from 'react'
import type { AttentionKey } from '../shell/attention.ts'
import type { shellWords } from '../words/shell.ts'
import { apiKeyPages } from './api-keys/pages.ts'
import { approvalPolicyPages } from './approval-policies/pages.ts'
import { approvalPages } from './approvals/pages.ts'
import { auditLogPages } from './audit-log/pages.ts'
import { buyerPages } from './buyers/pages.ts'
import { checkoutSessionPages } from './checkout-sessions/pages.ts'
import { walletPages } from './digital-wallets/pages.ts'
import { disputePages } from './disputes/pages.ts'
import { eventLogPages } from './event-log/pages.ts'
import { fraudPages } from './fraud/pages.ts'
import { giftCardServicePages } from './gift-card-services/pages.ts'
import { giftCardPages } from './gift-cards/pages.ts'
import { homePages } from './home/pages.ts'
import { insightPages } from './insights/pages.ts'
import { merchantAccountPages } from './merchant-accounts/pages.ts'
import { monitoringPages } from './monitoring/pages.ts'
import { paymentLinkPages } from './payment-links/pages.ts'
import { paymentServicePages } from './payment-services/pages.ts'
import { paymentPages } from './payments/pages.ts'
import { payoutPages } from './payouts/pages.ts'
import { peoplePages } from './people/pages.ts'
import { profilePages } from './profile/pages.ts'
import { reconciliationPages } from './reconciliation/pages.ts'
import { refundPages } from './refunds/pages.ts'
import { reportPages } from './reports/pages.ts'
import { routingPages } from './routing/pages.ts'
import { sandboxPages } from './sandbox/pages.ts'
import { spendingLimitPages } from './spending-limits/pages.ts'
import { storedMethodPages } from './stored-methods/pages.ts'
import { webhookPages } from './webhooks/pages.ts'

/** A page of the dashboard. Its code is loaded when it is opened. */
export interface PageEntry {
  /** Below the merchant account, such as `payments/:id`. */
  path: string
  load: () => Promise<{ Page: ComponentType }>
  /** The scope without which the page is not offered; of several, one is enough. */
  scope?: string | readonly string[]
  /** Its place in the navigation; without one other pages lead to it. */
  nav?: {
    group: keyof (typeof shellWords)['groups']
    text: string
    /** The key under which the shell counts work that waits there. */
    attention?: AttentionKey
    /** In the sandbox only. */
    sandboxOnly?: boolean
  }
}

/** All pages, in the order of the navigation. */
export const pages: readonly PageEntry[] = [
  ...homePages,
  ...approvalPages,
  ...paymentPages,
  ...refundPages,
  ...disputePages,
  ...payoutPages,
  ...paymentLinkPages,
  ...buyerPages,
  ...storedMethodPages,
  ...giftCardPages,
  ...checkoutSessionPages,
  ...paymentServicePages,
  ...routingPages,
  ...fraudPages,
  ...giftCardServicePages,
  ...walletPages,
  ...reconciliationPages,
  ...reportPages,
  ...insightPages,
  ...monitoringPages,
  ...apiKeyPages,
  ...webhookPages,
  ...eventLogPages,
  ...sandboxPages,
  ...merchantAccountPages,
  ...peoplePages,
  ...approvalPolicyPages,
  ...spendingLimitPages,
  ...auditLogPages,
  ...profilePages,
]
