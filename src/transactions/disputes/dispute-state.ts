import type { DisputeNotice } from '../../connectors/contract/connector.ts'
import type { DisputeStatus, DisputeTable, StoredDisputeNotice } from '../../database/tables/disputes.ts'

/** The columns of a dispute that follow from its notices. */
export type DisputeState = Pick<
  DisputeTable,
  | 'status'
  | 'amount'
  | 'currency'
  | 'reason_code'
  | 'reason'
  | 'is_chargeback'
  | 'withdrawn_amount'
  | 'returned_amount'
  | 'evidence_due_at'
  | 'opened_at'
  | 'closed_at'
>

/** A notice in the form that is stored: two of the same content are equal as JSON. Throws for a bad time. */
export const toStoredNotice = (notice: DisputeNotice): StoredDisputeNotice => ({
  status: notice.status,
  amount: notice.amount,
  currency: notice.currency,
  funds: notice.funds,
  reason_code: notice.reasonCode,
  reason: notice.reason,
  evidence_due_at: notice.evidenceDueAt && new Date(notice.evidenceDueAt).toISOString(),
  occurred_at: new Date(notice.occurredAt).toISOString(),
})

interface StatusMeaning {
  /** The order of notices that the payment service gives the same time. */
  stage: number
  isFinal: boolean
  /** Whether the money counts as taken while no notice says what it did. */
  takesMoney: boolean
}

const statuses: Readonly<Record<DisputeStatus, StatusMeaning>> = {
  inquiry: { stage: 0, isFinal: false, takesMoney: false },
  needs_response: { stage: 1, isFinal: false, takesMoney: true },
  under_review: { stage: 2, isFinal: false, takesMoney: true },
  closed: { stage: 3, isFinal: true, takesMoney: false },
  won: { stage: 4, isFinal: true, takesMoney: false },
  accepted: { stage: 5, isFinal: true, takesMoney: true },
  lost: { stage: 6, isFinal: true, takesMoney: true },
}

const fundsStages = { withdrawn: 1, returned: 2 } as const

/** The text by which two notices are compared, whatever the order of their members. */
const contentOf = (notice: StoredDisputeNotice): string =>
  JSON.stringify(Object.entries(notice).toSorted(([a], [b]) => (a < b ? -1 : 1)))

/** By time; notices of the same time have one order, too. */
function compareNotices(a: StoredDisputeNotice, b: StoredDisputeNotice): number {
  const stage = ({ funds }: StoredDisputeNotice) => (funds === null ? 0 : fundsStages[funds])
  return (
    Date.parse(a.occurred_at) - Date.parse(b.occurred_at) ||
    statuses[a.status].stage - statuses[b.status].stage ||
    stage(a) - stage(b) ||
    a.amount - b.amount ||
    (contentOf(a) < contentOf(b) ? -1 : 1)
  )
}

/** The notices with another one, the oldest first; undefined: it is among them already. */
export function addNotice(
  notices: readonly StoredDisputeNotice[],
  notice: StoredDisputeNotice,
): [StoredDisputeNotice, ...StoredDisputeNotice[]] | undefined {
  const content = contentOf(notice)
  if (notices.some((known) => contentOf(known) === content)) return undefined
  const [first = notice, ...others] = [...notices, notice].toSorted(compareNotices)
  return [first, ...others]
}

/**
 * The state of a dispute from its notices, the oldest first (`addNotice`). It depends on their set alone, so a
 * repeated, late or reordered notice changes nothing that is not so.
 */
export function disputeState(
  notices: readonly [StoredDisputeNotice, ...StoredDisputeNotice[]],
): DisputeState {
  const last = notices.at(-1) ?? notices[0]
  const lastOpen = notices.findLastIndex(({ status }) => !statuses[status].isFinal)
  return {
    status: last.status,
    amount: last.amount,
    currency: last.currency,
    reason_code: notices.findLast(({ reason_code }) => reason_code !== null)?.reason_code ?? null,
    reason: notices.findLast(({ reason }) => reason !== null)?.reason ?? null,
    is_chargeback: notices.some(({ status, funds }) => funds !== null || statuses[status].takesMoney),
    ...movedFunds(notices, last),
    evidence_due_at: last.evidence_due_at,
    opened_at: notices[0].occurred_at,
    closed_at: notices[lastOpen + 1]?.occurred_at ?? null,
  }
}

/**
 * What a dispute has taken and given back, gross. Several notices in a row of the same movement are one
 * movement, of the amount that the last of them states; a return of money that no notice has taken counts
 * nothing until that notice comes. Without a word on funds, the amount counts as taken while the dispute is
 * open, and where it is lost: a refund of it would give the buyer the money twice.
 */
function movedFunds(
  notices: readonly StoredDisputeNotice[],
  last: StoredDisputeNotice,
): Pick<DisputeState, 'withdrawn_amount' | 'returned_amount'> {
  const moved = notices.filter(({ funds }) => funds !== null)
  if (moved.length === 0)
    return { withdrawn_amount: statuses[last.status].takesMoney ? last.amount : 0, returned_amount: 0 }
  const total = { withdrawn: 0, returned: 0 }
  let taken = 0
  for (const [index, { funds, amount }] of moved.entries()) {
    if (funds === null || funds === moved[index + 1]?.funds) continue
    const counted = funds === 'withdrawn' ? amount : Math.min(amount, taken)
    total[funds] += counted
    taken += funds === 'withdrawn' ? counted : -counted
  }
  return { withdrawn_amount: total.withdrawn, returned_amount: total.returned }
}
