import type { Dispute } from '@railyard/client'
import { formatDistance } from '../../format/time.ts'
import type { StatusLooks } from '../../parts/values/status-tag.tsx'
import type { Tone } from '../../parts/values/tag.tsx'
import { disputeWords as words } from '../../words/payments/disputes.ts'

const texts = words.status

export const disputeLooks: StatusLooks = {
  inquiry: [texts.inquiry, 'info'],
  needs_response: [texts.needs_response, 'warn'],
  under_review: [texts.under_review, 'info'],
  won: [texts.won, 'good'],
  lost: [texts.lost, 'bad'],
  accepted: [texts.accepted, 'quiet'],
  closed: [texts.closed, 'quiet'],
}

/** Why no evidence can be submitted now; undefined: it can. The server decides again. */
export function evidenceRefusal(dispute: Dispute, now: number = Date.now()): string | undefined {
  const { status, evidence_submitted_at, evidence_due_at } = dispute
  const ended = acceptanceRefusal(dispute)
  if (ended) return ended
  if (evidence_submitted_at) return words.refused.submitted
  if (!evidence_due_at || status === 'under_review') return words.refused.none
  return Date.parse(evidence_due_at) <= now ? words.refused.late : undefined
}

/** Why the dispute cannot be accepted now. */
export function acceptanceRefusal({ closed_at, accepted_at }: Dispute): string | undefined {
  if (closed_at) return words.refused.ended
  return accepted_at ? words.refused.accepted : undefined
}

const URGENT_MS = 3 * 86_400_000

/** What a list says of the deadline: red in the last three days. */
export function describeDeadline(
  dispute: Dispute,
  now: number = Date.now(),
): { text: string; tone: Tone } | undefined {
  const { evidence_due_at, evidence_submitted_at, accepted_at, closed_at } = dispute
  if (closed_at) return undefined
  if (evidence_submitted_at || accepted_at) return { text: words.answered, tone: 'quiet' }
  if (!evidence_due_at) return { text: words.noDeadline, tone: 'quiet' }
  const left = Date.parse(evidence_due_at) - now
  if (left <= 0) return { text: words.overdue, tone: 'bad' }
  return { text: words.due(formatDistance(evidence_due_at, now)), tone: left < URGENT_MS ? 'bad' : 'warn' }
}

/** The nearest deadline first; disputes without one last. */
export const byDeadline = (one: Dispute, other: Dispute): number => deadlineOf(one) - deadlineOf(other)

const deadlineOf = ({ evidence_due_at }: Dispute): number =>
  evidence_due_at ? Date.parse(evidence_due_at) : Number.MAX_SAFE_INTEGER
