import { Type } from 'typebox'
import type { DisputeNotice } from '../contract/connector.ts'
import { Compile } from '../wire/compile.ts'
import { nonEmptyText } from '../wire/provider-text.ts'
import { fromCheckoutAmount } from './amount.ts'

type Meaning = Pick<DisputeNotice, 'status' | 'funds'>

/** What each event says of a dispute. The disputed money is withdrawn with the dispute itself. */
const meanings = {
  dispute_received: { status: 'needs_response', funds: 'withdrawn' },
  dispute_evidence_required: { status: 'needs_response', funds: 'withdrawn' },
  dispute_evidence_submitted: { status: 'under_review', funds: null },
  dispute_evidence_acknowledged_by_scheme: { status: 'under_review', funds: null },
  dispute_accepted: { status: 'accepted', funds: null },
  dispute_canceled: { status: 'closed', funds: 'returned' },
  dispute_expired: { status: 'lost', funds: null },
  dispute_resolved: { status: 'closed', funds: 'returned' },
  dispute_won: { status: 'won', funds: 'returned' },
  dispute_lost: { status: 'lost', funds: null },
  dispute_arbitration_sent_to_scheme: { status: 'under_review', funds: null },
  dispute_arbitration_won: { status: 'won', funds: 'returned' },
  dispute_arbitration_lost: { status: 'lost', funds: 'withdrawn' },
} as const satisfies Record<string, Meaning>

const isDispute = (type: string): type is keyof typeof meanings => Object.hasOwn(meanings, type)

/** The events of disputes. */
export const disputeEvents: readonly string[] = Object.keys(meanings)

const text = Type.Optional(Type.Union([Type.String(), Type.Null()]))
const data = Compile(
  Type.Object({
    id: Type.String({ minLength: 1 }),
    payment_id: Type.String({ minLength: 1 }),
    amount: Type.Integer({ minimum: 0 }),
    currency: Type.String({ pattern: '^[A-Z]{3}$' }),
    reason_code: text,
    category: text,
    date: text,
    evidence_required_by: text,
  }),
)

/** ISO 8601; null: there is no time in this text. */
function time(value: unknown): string | null {
  const at = Date.parse(nonEmptyText(value) ?? '')
  return Number.isNaN(at) ? null : new Date(at).toISOString()
}

/**
 * The dispute that an event tells of; undefined: it tells of none. Events of payments have `created_on`; the
 * published examples of disputes have `timestamp`, and the time of the dispute in `date`.
 */
export function disputeIn(event: {
  type: string
  created_on?: string
  timestamp?: string
  data: unknown
}): DisputeNotice | undefined {
  const { type, data: told } = event
  if (!isDispute(type) || !data.Check(told)) return undefined
  const occurredAt = time(event.created_on) ?? time(event.timestamp) ?? time(told.date)
  if (occurredAt === null) return undefined
  const amount = fromCheckoutAmount(told.amount, told.currency)
  if (amount === undefined) return undefined
  const { status, funds } = meanings[type]
  return {
    id: told.id,
    payment: told.payment_id,
    status,
    amount,
    currency: told.currency,
    funds,
    reasonCode: nonEmptyText(told.reason_code),
    reason: nonEmptyText(told.category),
    evidenceDueAt: status === 'needs_response' ? time(told.evidence_required_by) : null,
    occurredAt,
  }
}
