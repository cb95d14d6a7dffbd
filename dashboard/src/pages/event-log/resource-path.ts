import { pages } from '../registry.ts'

/** The part of the navigation that shows each kind of resource that an event or an audit entry is about. */
const sections: Record<string, string | undefined> = {
  transaction: 'payments',
  refund: 'refunds',
  dispute: 'disputes',
  payout: 'payouts',
  'payment-link': 'payment-links',
  buyer: 'buyers',
  'payment-method': 'stored-methods',
  'gift-card': 'gift-cards',
  'payment-service': 'payment-services',
  'gift-card-service': 'gift-card-services',
  'anti-fraud-service': 'fraud/services',
  'digital-wallet': 'digital-wallets',
  report: 'reports',
  'monitoring.metric': 'monitoring/metrics',
  'monitoring.incident': 'monitoring/incidents',
  'hosted-page.incident': 'monitoring/hosted-pages',
  'api-key-pair': 'api-keys',
  'webhook-subscription': 'webhooks',
  'merchant-account': 'merchant-accounts',
  user: 'people',
  proposal: 'approvals',
}

interface Resource {
  type: string
  id: string
  /** Of what belongs to a payment. */
  transaction_id?: unknown
}

/** Where a resource is shown, below its merchant account; undefined: on no page. */
export function resourcePath({ type, id, transaction_id }: Resource): string | undefined {
  const shown = pageOf(type, id)
  return shown ?? (typeof transaction_id === 'string' ? pageOf('transaction', transaction_id) : undefined)
}

function pageOf(type: string, id: string): string | undefined {
  const section = sections[type]
  const hasPage = pages.some(({ path }) => path === `${section}/:id`)
  return hasPage ? `${section}/${encodeURIComponent(id)}` : undefined
}
