import { type Static, Type } from 'typebox'
import type { DisputeNotice, RequiredIdentifiers } from '../../contract/connector.ts'
import { Compile } from '../../wire/compile.ts'
import { fromStripeAmount } from '../amount.ts'

const maybeText = Type.Optional(Type.Union([Type.String(), Type.Null()]))

const Dispute = Type.Object({
  id: Type.String({ minLength: 1 }),
  amount: Type.Integer(),
  charge: maybeText,
  currency: Type.String(),
  payment_intent: maybeText,
  network_reason_code: maybeText,
  reason: maybeText,
  status: Type.String(),
  evidence_details: Type.Optional(
    Type.Union([
      Type.Object({ due_by: Type.Optional(Type.Union([Type.Integer(), Type.Null()])) }),
      Type.Null(),
    ]),
  ),
})
const anyDispute = Compile(Dispute)

/** Our status for Stripe's. A dispute that was prevented has been settled with the issuer before. */
const statuses: Readonly<Record<string, DisputeNotice['status']>> = {
  warning_needs_response: 'inquiry',
  warning_under_review: 'inquiry',
  warning_closed: 'closed',
  needs_response: 'needs_response',
  under_review: 'under_review',
  appeal_needs_response: 'needs_response',
  appeal_under_review: 'under_review',
  won: 'won',
  lost: 'lost',
  prevented: 'closed',
}

/** The statuses in which evidence can be submitted. */
const answerable = new Set(['warning_needs_response', 'needs_response', 'appeal_needs_response'])

const funds: Readonly<Record<string, DisputeNotice['funds']>> = {
  'charge.dispute.funds_withdrawn': 'withdrawn',
  'charge.dispute.funds_reinstated': 'returned',
}

/**
 * A dispute as an event of Stripe tells of it, of a payment with these identifiers; undefined: it is of no payment,
 * or cannot be read.
 */
export function disputeNotice(
  { type, created, data }: { type: string; created: number; data: { object: unknown } },
  identifiers: RequiredIdentifiers,
): DisputeNotice | undefined {
  if (!anyDispute.Check(data.object)) return undefined
  const dispute: Static<typeof Dispute> = data.object
  const currency = dispute.currency.toUpperCase()
  const amount = fromStripeAmount(dispute.amount, currency)
  const status = Object.hasOwn(statuses, dispute.status) ? statuses[dispute.status] : undefined
  if (!dispute.payment_intent || amount === undefined || !status) return undefined
  const dueBy = answerable.has(dispute.status) ? dispute.evidence_details?.due_by : null
  return {
    id: dispute.id,
    payment: dispute.payment_intent,
    status,
    amount,
    currency,
    funds: funds[type] ?? null,
    reasonCode: dispute.network_reason_code ?? null,
    reason: dispute.reason ?? null,
    evidenceDueAt: dueBy ? instant(dueBy) : null,
    occurredAt: instant(created),
    identifiers,
  }
}

const instant = (seconds: number): string => new Date(seconds * 1000).toISOString()
