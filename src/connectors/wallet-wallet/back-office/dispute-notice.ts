import { type Static, Type } from 'typebox'
import type { ServiceCall } from '../../contract/call.ts'
import type { DisputeNotice, NotificationSubject } from '../../contract/connector.ts'
import { Compile } from '../../wire/compile.ts'
import { readMovement } from '../answer.schema.ts'
import { fromMoney } from '../money.ts'
import type { Wire } from '../wire.ts'

const text = Type.Optional(Type.String())
const Money = Type.Object({ currency_code: Type.String(), value: Type.String() })

const MoneyMovement = Type.Object({
  affected_party: text,
  amount: Type.Optional(Money),
  initiated_time: text,
  type: text,
  reason: text,
})

const DisputedTransaction = Type.Object({ seller_transaction_id: text, invoice_number: text, custom: text })

const standing = {
  status: Type.String(),
  seller_response_due_date: text,
  dispute_outcome: Type.Optional(Type.Object({ outcome_code: text })),
  evidences: Type.Optional(Type.Array(Type.Object({ source: text, evidence_type: text, notes: text }))),
}

/** How a dispute stands, and what was submitted. */
const Standing = Type.Object(standing)
export type Standing = Static<typeof Standing>

const Dispute = Type.Object({
  ...standing,
  dispute_id: Type.String({ minLength: 1 }),
  dispute_amount: Money,
  create_time: text,
  update_time: text,
  reason: text,
  external_reason_code: text,
  dispute_life_cycle_stage: text,
  disputed_transactions: Type.Array(DisputedTransaction, { minItems: 1 }),
  money_movements: Type.Optional(Type.Array(MoneyMovement)),
})
type Dispute = Static<typeof Dispute>
const dispute = Compile(Dispute)

const anyStanding = Compile(Standing)

export const readStanding = (body: unknown): Standing | undefined =>
  anyStanding.Check(body) ? body : undefined

/** What a notification says of a dispute: the movements of the seller's money, and how the dispute stands. */
export async function disputeSubjects(
  wire: Wire,
  call: ServiceCall,
  resource: unknown,
): Promise<NotificationSubject | readonly NotificationSubject[]> {
  if (!dispute.Check(resource)) return { about: 'nothing' }
  const notices = disputeNotices(resource, await paymentOf(wire, call, resource))
  return notices.length > 0
    ? notices.map((each) => ({ about: 'dispute', dispute: each }))
    : { about: 'nothing' }
}

const uuid = /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/

/**
 * The operation that made the payment: orders carry the id of the approval, captures their own. A payment
 * with neither was changed by other software at the provider, so its order is read.
 */
async function paymentOf(
  wire: Wire,
  call: ServiceCall,
  { disputed_transactions: [disputed] }: Dispute,
): Promise<string> {
  const { custom = '', invoice_number: invoice = '', seller_transaction_id: capture = '' } = disputed ?? {}
  const operation = [custom, invoice].find((id) => uuid.test(id))
  if (operation !== undefined || capture === '') return operation ?? invoice
  const path = `/v2/payments/captures/${encodeURIComponent(capture)}`
  const reply = await wire.send(call, { method: 'GET', path })
  const movement =
    !reply.refused && !reply.answer.lost && reply.answer.status === 200
      ? readMovement(reply.answer.body)
      : undefined
  return movement?.supplementary_data?.related_ids?.order_id ?? capture
}

type Status = DisputeNotice['status']

/** How a resolved dispute ended for the merchant. The provider pays a payout itself. */
const outcomes: Readonly<Record<string, Status>> = {
  RESOLVED_BUYER_FAVOUR: 'lost',
  RESOLVED_SELLER_FAVOUR: 'won',
  RESOLVED_WITH_PAYOUT: 'won',
  CANCELED_BY_BUYER: 'closed',
  ACCEPTED: 'lost',
  DENIED: 'won',
}

/** The notices in a dispute, the oldest first; empty: it cannot be read. */
export function disputeNotices(read: Dispute, payment: string): DisputeNotice[] {
  const currency = read.dispute_amount.currency_code
  const disputed = fromMoney(read.dispute_amount, currency)
  const updatedAt = instant(read.update_time ?? read.create_time)
  if (disputed === undefined || updatedAt === undefined) return []
  const moved = fundsMoved(read, currency)
  const last = moved.at(-1)
  const status = statusOf(read, last?.funds ?? null)
  const notice = (funds: DisputeNotice['funds'], amount: number, occurredAt: string): DisputeNotice => ({
    id: read.dispute_id,
    payment,
    status,
    amount,
    currency,
    funds,
    reasonCode: read.external_reason_code ?? null,
    reason: read.reason ?? null,
    evidenceDueAt: (isSellersTurn(read) && instant(read.seller_response_due_date)) || null,
    occurredAt,
  })
  return [
    ...moved.slice(0, -1).map(({ funds, amount, at }) => notice(funds, amount, at)),
    notice(last?.funds ?? null, last?.amount ?? disputed, updatedAt),
  ]
}

/** Whether the provider waits for the merchant's evidence. */
export const isSellersTurn = ({ status, seller_response_due_date: due }: Standing): boolean =>
  status === 'WAITING_FOR_SELLER_RESPONSE' || (status === 'OPEN' && due !== undefined)

function statusOf(read: Dispute, lastFunds: DisputeNotice['funds']): Status {
  if (read.status === 'RESOLVED')
    return (
      outcomes[read.dispute_outcome?.outcome_code ?? ''] ?? (lastFunds === 'withdrawn' ? 'lost' : 'closed')
    )
  if (read.dispute_life_cycle_stage === 'INQUIRY') return 'inquiry'
  return isSellersTurn(read) ? 'needs_response' : 'under_review'
}

interface FundsMoved {
  funds: 'withdrawn' | 'returned'
  amount: number
  at: string
}

const directions = { DEBIT: 'withdrawn', CREDIT: 'returned' } as const

/**
 * What the provider took of the seller's money for the dispute and gave back, without its fees, the oldest
 * first. Movements in a row of one direction count together: notices state the amount as a whole.
 */
function fundsMoved({ money_movements: movements = [] }: Dispute, currency: string): FundsMoved[] {
  const settled = movements.flatMap(({ affected_party, type, reason, amount, initiated_time }) => {
    const funds = type === 'DEBIT' || type === 'CREDIT' ? directions[type] : undefined
    const [value, at] = [fromMoney(amount, currency), instant(initiated_time)]
    const isSettlement = affected_party === 'SELLER' && reason === 'DISPUTE_SETTLEMENT'
    return isSettlement && funds && value !== undefined && at !== undefined
      ? [{ funds, amount: value, at }]
      : []
  })
  const runs: FundsMoved[] = []
  for (const each of settled.toSorted((a, b) => (a.at < b.at ? -1 : 1))) {
    const last = runs.at(-1)
    if (last?.funds === each.funds) runs.splice(-1, 1, { ...each, amount: last.amount + each.amount })
    else runs.push(each)
  }
  return runs
}

/** A time in ISO 8601; undefined: it cannot be read. */
function instant(time: string | undefined): string | undefined {
  const ms = Date.parse(time ?? '')
  return Number.isNaN(ms) ? undefined : new Date(ms).toISOString()
}
