import type { DisputeNotice } from '../contract/connector.ts'
import { nonEmptyText } from '../wire/provider-text.ts'
import { fromMoney } from './money.ts'
import type { Item } from './notice.ts'

type Meaning = Pick<DisputeNotice, 'status' | 'funds'>

/**
 * What each event says of a dispute. The money is gone with CHARGEBACK, and not with its announcement
 * (NOTIFICATION_OF_CHARGEBACK).
 */
const meanings = {
  REQUEST_FOR_INFORMATION: { status: 'inquiry', funds: null },
  NOTIFICATION_OF_CHARGEBACK: { status: 'needs_response', funds: null },
  CHARGEBACK: { status: 'needs_response', funds: 'withdrawn' },
  INFORMATION_SUPPLIED: { status: 'under_review', funds: null },
  CHARGEBACK_REVERSED: { status: 'under_review', funds: 'returned' },
  PREARBITRATION_OPEN: { status: 'under_review', funds: null },
  PREARBITRATION_WON: { status: 'won', funds: null },
  PREARBITRATION_DECLINED: { status: 'under_review', funds: null },
  PREARBITRATION_ISSUER_WITHDRAWN: { status: 'won', funds: null },
  PREARBITRATION_ACCEPTED: { status: 'lost', funds: null },
  PREARBITRATION_LOST: { status: 'lost', funds: null },
  SCHEME_ARBITRATION: { status: 'under_review', funds: null },
  SCHEME_ARBITRATION_WON: { status: 'won', funds: null },
  SCHEME_ARBITRATION_LOST: { status: 'lost', funds: null },
  SECOND_CHARGEBACK: { status: 'lost', funds: 'withdrawn' },
  DISPUTE_DEFENSE_PERIOD_ENDED: { status: 'lost', funds: null },
  ISSUER_RESPONSE_TIMEFRAME_EXPIRED: { status: 'won', funds: null },
} as const satisfies Record<string, Meaning>

const isDispute = (event: string): event is keyof typeof meanings => Object.hasOwn(meanings, event)

/** `disputeStatus`, which some events carry, is more exact than the event. */
const statusWords: Readonly<Record<string, DisputeNotice['status']>> = {
  Accepted: 'accepted',
  Expired: 'lost',
  Lost: 'lost',
  Pending: 'under_review',
  Responded: 'under_review',
  Undefended: 'needs_response',
  Unresponded: 'inquiry',
  Won: 'won',
}

/** ISO 8601; null: there is no time in this text. */
function time(value: unknown): string | null {
  const at = Date.parse(nonEmptyText(value) ?? '')
  return Number.isNaN(at) ? null : new Date(at).toISOString()
}

/** The dispute that an event tells of; undefined: it tells of none. */
export function disputeIn(item: Item): DisputeNotice | undefined {
  if (!isDispute(item.eventCode) || item.success !== 'true' || !item.amount) return undefined
  const data = item.additionalData ?? {}
  const meaning: Meaning = meanings[item.eventCode]
  const status = statusWords[nonEmptyText(data['disputeStatus']) ?? ''] ?? meaning.status
  const amount = fromMoney(item.amount, item.amount.currency)
  const payment = item.originalReference || item.merchantReference
  const occurredAt = time(item.eventDate)
  if (amount === undefined || !payment || occurredAt === null) return undefined
  const isDefendable = data['defendable'] !== 'false' && data['autoDefended'] !== 'true'
  const isOpen = status === 'needs_response' || status === 'inquiry'
  return {
    id: item.pspReference,
    payment,
    status: status === 'needs_response' && !isDefendable ? 'under_review' : status,
    amount,
    currency: item.amount.currency,
    funds: meaning.funds,
    reasonCode: nonEmptyText(data['chargebackReasonCode'])?.trim() ?? null,
    reason: item.reason || null,
    evidenceDueAt: isOpen && isDefendable ? time(data['defensePeriodEndsAt']) : null,
    occurredAt,
  }
}
