import { type Static, Type } from 'typebox'
import { type Mask, maskOf, unchanged } from '../api/visibility/personal-mask.ts'
import { Airline } from '../checkout/airline.schema.ts'
import { CartItem } from '../checkout/cart-item.schema.ts'
import { DelegatePaymentResponse } from '../checkout/delegated-payments/delegate-payment.schema.ts'
import type { ResourceTarget } from '../database/tables/events.ts'
import { GiftCard } from '../gift-cards/gift-card.schema.ts'
import {
  exchangesOf,
  type OperationInput,
  type OperationRow,
  operationEntriesOf,
} from '../operations/operation.ts'
import type { TimelineEntry } from '../operations/timeline-entry.ts'
import type { PayoutRow } from '../payouts/payout.row.ts'
import type { TransactionAction } from '../routing/action.schema.ts'
import { TransactionThreeDSecureSummary } from '../three-d-secure/three-d-secure.schema.ts'
import type { BuyerSnapshot, TransactionRow } from '../transactions/transaction.row.ts'
import {
  Transaction,
  TransactionCreate,
  TransactionPaymentMethod,
  TransactionUpdate,
} from '../transactions/transaction.schema.ts'
import { TransactionRefundCreate } from '../transactions/views/refund.schema.ts'
import { specialMasks } from './masks.ts'

const marks = ['restricted', 'erasable'] as const
const specialEraseMasks = specialMasks(marks)

/**
 * A function that erases the members which a schema marks as `restricted` or `erasable`. Members that rows
 * have beyond the schema stay.
 */
export const makeEraser = (schema: object) => typed(maskOf(schema, marks, specialEraseMasks) ?? unchanged)

/** A mask keeps the type of its value: it sets only members to null that may be null. */
const typed =
  (mask: Mask) =>
  <T>(value: T) =>
    mask(value) as T

/**
 * The members of a transaction that an erasure may change. Ids, amounts, statuses, references and times stay.
 */
export type ErasedTransaction = Pick<
  TransactionRow,
  | 'buyer'
  | 'shipping_details'
  | 'metadata'
  | 'details'
  | 'ip_address'
  | 'payment_method'
  | 'three_d_secure'
  | 'identifiers'
  | 'approval'
  | 'actions'
>

const eraseTransactionDetails = makeEraser(TransactionCreate)
const erasePaymentMethod = makeEraser(TransactionPaymentMethod)
const eraseThreeDSecure = makeEraser(TransactionThreeDSecureSummary)
const eraseIdentifiers = makeEraser(Transaction.properties.additional_identifiers)

export const erasedTransaction = (row: TransactionRow): ErasedTransaction => ({
  buyer: erasedBuyer(row.buyer),
  shipping_details: null,
  metadata: null,
  details: withoutNulls(eraseTransactionDetails(row.details)),
  ip_address: null,
  payment_method: erasePaymentMethod(row.payment_method),
  three_d_secure: eraseThreeDSecure(row.three_d_secure),
  identifiers: row.identifiers && withoutNulls(eraseIdentifiers(row.identifiers)),
  approval: row.approval && {
    ...row.approval,
    url: null,
    session_data: null,
    redirect_url: siteOf(row.approval.redirect_url),
  },
  actions: row.actions?.map(erasedAction) ?? null,
})

/** Keeps a stored buyer's id, which tells the merchant which payments were one buyer's. */
export const erasedBuyer = (buyer: BuyerSnapshot | null): BuyerSnapshot | null =>
  buyer?.id ? { id: buyer.id } : null

/** Removes members that are null, since rows hold only the members that were set. */
export const withoutNulls = <T extends object>(values: T): T =>
  Object.fromEntries(Object.entries(values).filter(([, value]) => value !== null)) as T

/**
 * The merchant's site instead of a URL that may identify the buyer. A buyer who returns late is sent there.
 */
function siteOf(url: string | null): string | null {
  if (url === null) return null
  const origin = URL.parse(url)?.origin ?? 'null'
  return origin === 'null' ? 'about:blank' : `${origin}/`
}

/** Facts of routing rules that are personal data. */
const isPersonalFact = (field: unknown) =>
  typeof field === 'string' && (field === 'buyer_external_identifier' || field.startsWith('metadata.'))

/** A routing action without the values of personal facts. Which rule decided, and what it decided, stays. */
function erasedAction(action: TransactionAction): TransactionAction {
  const { because } = action.outcome
  if (!Array.isArray(because)) return action
  const erased = because.map((reason) =>
    isPersonalFact(reason?.field) ? { ...reason, value: null, actual: null } : reason,
  )
  return { ...action, outcome: { ...action.outcome, because: erased } }
}

/** The members of an operation that an erasure may change. */
export type ErasedOperation = Pick<OperationRow, 'input' | 'exchanges' | 'packed_exchanges'>

const Input = Type.Object({
  airline: Airline,
  cart_items: Type.Array(CartItem),
  reason: TransactionRefundCreate.properties.reason,
  before: TransactionUpdate,
  after: TransactionUpdate,
})
const eraseInput = makeEraser(Input)

/**
 * An operation whose exchanges keep their URL, time and status, but neither request nor response. Its records are
 * not packed any more.
 */
export const erasedOperation = ({ input, ...lists }: ErasedOperation): ErasedOperation => ({
  input: erasedInput(input),
  exchanges: [
    ...exchangesOf(lists).map((exchange) => ({ ...exchange, request: null, response: null })),
    ...erasedTimeline(operationEntriesOf(lists)),
  ],
  packed_exchanges: null,
})

function erasedInput(input: OperationInput): OperationInput {
  const erased = withoutNulls(eraseInput(input))
  const { then_capture } = erased
  return then_capture
    ? { ...erased, then_capture: { ...then_capture, input: erasedInput(then_capture.input) } }
    : erased
}

const eraseTarget = typed(specialEraseMasks.EventTarget)

/**
 * The target that an event stores. That of a transaction has the row's `identifiers`, which the API shows
 * under another name (transactions/views/event-targets.ts).
 */
export type StoredTarget = ResourceTarget & Partial<Pick<TransactionRow, 'identifiers'>>

export function erasedTarget(target: StoredTarget): StoredTarget {
  const erased = eraseTarget(target)
  return erased.identifiers
    ? { ...erased, identifiers: withoutNulls(eraseIdentifiers(erased.identifiers)) }
    : erased
}

const eraseTimelineEntry = typed(specialEraseMasks.TransactionEvent)

export const erasedTimeline = (entries: readonly TimelineEntry[]): TimelineEntry[] =>
  entries.map((entry) => eraseTimelineEntry(entry))

/** The members of a payout that an erasure may change. */
export type ErasedPayout = Pick<PayoutRow, 'buyer' | 'payment_method'>

export const erasedPayout = ({ buyer, payment_method }: ErasedPayout): ErasedPayout => ({
  buyer: erasedBuyer(buyer),
  payment_method: erasePaymentMethod(payment_method),
})

export const eraseGiftCard = makeEraser(GiftCard)

const eraseDelegatedAnswer = makeEraser(DelegatePaymentResponse)

/** The rows of the stored answer of an idempotency key. */
export interface StoredAnswer {
  transaction?: TransactionRow
  operation?: OperationRow
  payout?: PayoutRow
  /** The gift card of an activation. */
  approved?: Static<typeof GiftCard>
  delegated_payment?: DelegatePaymentResponse
}

export const erasedAnswer = (answer: StoredAnswer): StoredAnswer => ({
  ...answer,
  ...(answer.transaction && {
    transaction: { ...answer.transaction, ...erasedTransaction(answer.transaction) },
  }),
  ...(answer.operation && { operation: { ...answer.operation, ...erasedOperation(answer.operation) } }),
  ...(answer.payout && { payout: { ...answer.payout, ...erasedPayout(answer.payout) } }),
  ...(answer.approved && { approved: eraseGiftCard(answer.approved) }),
  ...(answer.delegated_payment && { delegated_payment: eraseDelegatedAnswer(answer.delegated_payment) }),
})
