import { ApiKeyPair } from '../accounts/api-keys/api-key-pair.schema.ts'
import type { PersonalMark } from '../api/schema.ts'
import { type Mask, maskOf, type SpecialMasks, unchanged } from '../api/visibility/personal-mask.ts'
import { ProposalSummary } from '../approvals/proposals/proposal.schema.ts'
import { Buyer, ShippingDetails } from '../buyers/buyer.schema.ts'
import { WebhookSubscription } from '../events/subscriptions/webhook-subscription.schema.ts'
import { GiftCard } from '../gift-cards/gift-card.schema.ts'
import { PageIncident } from '../hosted-pages/page-incident.schema.ts'
import { MonitoringIncident } from '../monitoring/incident.schema.ts'
import { PaymentLink } from '../payment-links/payment-link.schema.ts'
import { PaymentServiceHealth } from '../payment-services/health/payment-service-health.schema.ts'
import { PayoutSummary } from '../payouts/payout.schema.ts'
import { ReportExecution } from '../reports/report.schema.ts'
import { Dispute } from '../transactions/disputes/dispute.schema.ts'
import { Transaction } from '../transactions/transaction.schema.ts'
import { Capture } from '../transactions/views/capture.schema.ts'
import { Refund } from '../transactions/views/refund.schema.ts'
import { PaymentMethod } from '../vault/payment-methods/payment-method.schema.ts'
import { timelineEntryMask } from './timeline-mask.ts'

/** The schemas of all resources that events can be about. */
const eventResources = [
  Transaction,
  Capture,
  Refund,
  Dispute,
  PayoutSummary,
  PaymentLink,
  Buyer,
  ShippingDetails,
  PaymentMethod,
  GiftCard,
  ApiKeyPair,
  MonitoringIncident,
  PageIncident,
  PaymentServiceHealth,
  ReportExecution,
  WebhookSubscription,
  ProposalSummary,
] as const

/**
 * Masks the resource of an event as its type's schema says. Of any other type, only `type` and `id` are left.
 */
function targetMask(marks: readonly PersonalMark[]): Mask {
  const masks = new Map(
    eventResources.map((schema): [string, Mask] => [
      schema.properties.type.const,
      maskOf(schema, marks) ?? unchanged,
    ]),
  )
  return (target) => {
    if (typeof target !== 'object' || target === null || !('type' in target)) return target
    const mask = masks.get(String(target.type))
    return mask ? mask(target) : { type: target.type, ...('id' in target && { id: target.id }) }
  }
}

/** Masks of the schemas that leave their members open, by the schema's name. */
export const specialMasks = (marks: readonly PersonalMark[]) =>
  ({
    EventTarget: targetMask(marks),
    TransactionEvent: timelineEntryMask(marks),
  }) satisfies SpecialMasks
