import type { ApiDocument } from './document.ts'

/** What an event of a resource has as its target, by the beginning of the event's name. */
const targets: Readonly<Record<string, string>> = {
  'api-key-pair': 'ApiKeyPair',
  buyer: 'Buyer',
  'shipping-details': 'ShippingDetails',
  'payment-method': 'PaymentMethod',
  'gift-card': 'GiftCard',
  transaction: 'Transaction',
  dispute: 'Dispute',
  capture: 'Capture',
  refund: 'Refund',
  payout: 'PayoutSummary',
  'payment-link': 'PartOf<PaymentLink>',
  'report-execution': 'PartOf<ReportExecution>',
  'monitoring.incident': 'MonitoringIncident',
  'hosted-page.incident': 'PageIncident',
  proposal: 'ProposalSummary',
  'payment-service': 'PaymentServiceHealth & { id: string }',
  'webhook-subscription': 'PartOf<WebhookSubscription>',
}

/** packages/client/src/generated/events.ts: the names of events, and the target of each. */
export function eventTypes({ webhooks }: ApiDocument): string {
  const members = Object.keys(webhooks).map((name) => {
    const target = targets[name.slice(0, name.lastIndexOf('.'))]
    if (target === undefined) throw new Error(`${name}: scripts/client/event-types.ts has no target of it`)
    return `  '${name}': ${target}`
  })
  return [
    `/** What is always there of a target, and what may be there. */
export type PartOf<Resource extends { type: string; id: string }> = Pick<Resource, 'type' | 'id'> &
  Partial<Resource>`,
    `/** The target of each event, by the event's name. A target has no credential: no URL of a payment link or of a buyer's approval. */
export interface EventTargets {\n${members.join('\n')}\n}`,
  ].join('\n\n')
}

/** The names that the document's webhooks have in `targets`. */
export const targetNames = (): readonly string[] => Object.values(targets)
