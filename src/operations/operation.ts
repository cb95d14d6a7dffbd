import type { Exchange, OperationKind } from '../connectors/contract/call.ts'
import type { ErrorCode } from '../connectors/contract/error-codes.ts'
import type { GiftCardErrorCode } from '../connectors/contract/gift-card-error-codes.ts'
import type { Outcome, ResponseDetails } from '../connectors/contract/outcome.ts'
import { unpackJson } from './journal/packed-json.ts'
import type { TimelineEntry } from './timeline-entry.ts'

export const openStatuses = ['queued', 'sent', 'unknown', 'pending'] as const

/**
 * `queued`: intended, and sent later by recovery. `sent`: intended, and on its way. `unknown`: no answer that
 * tells. `pending`: the payment service accepted it and has not decided. The others are final.
 */
export const operationStatuses = [...openStatuses, 'approved', 'declined', 'failed'] as const
export type OperationStatus = (typeof operationStatuses)[number]

export const openStatusesInSql = `(${openStatuses.map((open) => `'${open}'`).join(', ')})`

export const isOpen = (status: OperationStatus): boolean => openStatuses.some((open) => open === status)

/**
 * What gift cards are asked for in a payment: a redemption, its undoing because another part failed, and a
 * refund to the card.
 */
export const giftCardKinds = ['redeem', 'reverse', 'gift-card-refund'] as const
export type GiftCardKind = (typeof giftCardKinds)[number]

/** Why an operation was refused, in our words. */
export type OperationCode = ErrorCode | GiftCardErrorCode

/**
 * What is asked before the money step: an anti-fraud service, and the card's issuer (3-D Secure). No money
 * moves.
 */
export const checkKinds = ['screening', 'authentication'] as const
export type CheckKind = (typeof checkKinds)[number]

/** What became of an operation, of whatever kind. */
export type OperationOutcome = Outcome<OperationCode>

/** What an operation uses of a spending limit (src/spending-limits). */
export interface SpendingReservation {
  spending_limit_id: string
  /** The day that it counts in, in UTC by the account's clock: `2026-11-24`. */
  day: string
  /** The id of the buyer whose payment it is; payments without a stored buyer count together. */
  buyer: string
  amount: number
}

/** What the merchant asked of an operation beyond its amount. */
export interface OperationInput {
  /** Capture: whether it ends the authorization. */
  final?: boolean
  external_identifier?: string | null
  reason?: string | null
  /** Refund: the person who asked for it; absent: a key pair did. */
  creator?: { id: string; name: string; email_address: string }
  cart_items?: unknown[] | null
  airline?: unknown
  /** Capture: how far beyond the authorization it was allowed to go; absent: not at all. */
  allowance?: number
  /** Capture: a new authorization is made if this one has expired (semantics §3.5). */
  reauthorize?: boolean
  /**
   * Authorization: the capture that follows once it is approved; absent: of the whole amount, if the intent
   * is to capture.
   */
  then_capture?: { amount: number; input: OperationInput }
  /**
   * The credential that a buyer's approval brought, sealed: the money step shows it, and can be sent again
   * after a crash.
   */
  approval_token?: string
  /**
   * Authentication: the amount that the cardholder is asked about, where that is not what is paid (contract,
   * `three_d_secure.amount`).
   */
  authenticated_amount?: number
  /** Authentication: the 3DS method that the cardholder's browser began before; absent: none. */
  three_ds_method?: { transaction_id: string; completed: boolean }
  /** Screening: the anti-fraud service that is asked. */
  anti_fraud_service?: string
  /** Void: the consequence of a rejected review, not a request of the merchant. */
  rejected?: true
  /**
   * Void, refund and reversal: a compensation, not a request of the merchant. True: another part of the
   * payment was refused. An id: this operation moved money after it had failed. Late failure: the id of the
   * operation whose success is taken back.
   */
  undoes?: true | string
  /** Late failure: what has failed. */
  failed?: { kind: LateFailureKind; final: boolean }
  /** Compensation of a late approval: the payment service's ids of that payment. */
  late_payment?: { reference: string; identifiers: Record<string, string> }
  /** Refund: the merchant insists, though the money may be disputed; `reason` says why. */
  forced?: true
  /** Forced refund: the dispute that holds money of the payment. */
  dispute?: string
  /** Gift card kinds and their late failures: the redemption (`transactions.gift_cards`) that it is about. */
  redemption?: string
  /** What it has reserved of its caller's spending limit; absent: the caller has none. */
  spending?: SpendingReservation
  /** Correction: the fields as they were and as they are (semantics §3.9, PUT). */
  before?: Record<string, unknown>
  after?: Record<string, unknown>
}

/** What a payment service or gift card service can take back after it had succeeded. */
export const lateFailureKinds = ['capture', 'sale', 'refund', 'reverse', 'gift-card-refund'] as const
export type LateFailureKind = (typeof lateFailureKinds)[number]

export const lateFailureKindsInSql = `(${lateFailureKinds.map((kind) => `'${kind}'`).join(', ')})`

/** Changes of Railyard's books alone: no payment service gets a request. */
export const bookkeepingKinds = ['correction', 'late-failure'] as const
export type BookkeepingKind = (typeof bookkeepingKinds)[number]

/** Why an operation that had succeeded has failed later. */
export interface LateFailure extends Pick<ResponseDetails, 'raw_response_code' | 'raw_response_description'> {
  code: OperationCode
}

/**
 * A row of the journal. A `correction` is a person's change of the amounts; no payment service hears of it. A
 * `late-failure` takes back the amounts of an operation that had succeeded.
 */
export interface OperationRow {
  merchant_account_id: string
  id: string
  /** What it is about: a transaction, or where the kind is `payout`, a payout. */
  transaction_id: string
  kind: OperationKind | GiftCardKind | CheckKind | BookkeepingKind
  status: OperationStatus
  amount: number
  effective_amount: number | null
  currency: string
  payment_service_id: string | null
  payment_service_operation_id: string | null
  input: OperationInput
  error_code: OperationCode | null
  facts: OperationDetails
  /**
   * Records (`OperationRecord`, of both kinds), if the process that wrote them did not pack them; `exchangesOf` and
   * `operationEntriesOf` read these and the packed ones.
   */
  exchanges: readonly unknown[]
  /** Records of both kinds as lists of `packJson`, in the form of a row's JSON; absent or null: none. */
  packed_exchanges?: string | null
  idempotency_scope: string | null
  idempotency_key: string | null
  check_at: string | null
  checks: number
  /** How many events the outbox has about it. */
  event_count: number
  created_at: string
  updated_at: string
  settled_at: string | null
  /**
   * Where it stands among what was decided, in the order of commits; absent or null: not decided, or by a
   * version that did not say.
   */
  journal_position?: number | null
  /** The payment service's id of the payment, if the answer to this operation had one. */
  payment_service_transaction_id?: string | null
  /** What its connector has noted for itself while it was in flight; absent or null: nothing. */
  mark?: string | null
  /** Refund: what payment services' reports say was settled of it, net; absent or null: nothing. */
  settled_amount?: number | null
  settled_currency?: string | null
  /**
   * When a verified notification said last that the decided operation may have another outcome, or told of an
   * operation before its outcome was known; absent or null: never.
   */
  late_notice_at?: string | null
  /** The compensation of what it did after it had failed; absent or null: none. */
  compensated_by?: string | null
  /** Why the approved operation has failed later; absent or null: it has not. */
  late_failure?: LateFailure | null
}

/**
 * A request to the payment service with its answer, or a line of the timeline that the operation's intent or outcome
 * has written. Together they take less than in rows of their own.
 */
export type OperationRecord = Exchange | TimelineEntry

/** The lists in which an operation has its records. */
export type OperationRecords = Pick<OperationRow, 'exchanges' | 'packed_exchanges'>

const recordsOf = ({ exchanges, packed_exchanges: packed }: OperationRecords): OperationRecord[] =>
  [...(exchanges as readonly OperationRecord[]), ...unpackJson<OperationRecord>(packed)].sort((a, b) =>
    a.id < b.id ? -1 : 1,
  )

const isTimelineEntry = (record: OperationRecord): record is TimelineEntry => 'context' in record

/** The requests to the payment service and their answers, oldest first. */
export const exchangesOf = (lists: OperationRecords): Exchange[] =>
  recordsOf(lists).filter((record): record is Exchange => !isTimelineEntry(record))

/** The lines of the timeline that the operation has, oldest first. */
export const operationEntriesOf = (lists: OperationRecords): TimelineEntry[] =>
  recordsOf(lists).filter(isTimelineEntry)

/** A new operation; what it lacks is empty at first. */
export function newOperation(
  required: Pick<
    OperationRow,
    | 'merchant_account_id'
    | 'id'
    | 'transaction_id'
    | 'kind'
    | 'amount'
    | 'currency'
    | 'payment_service_id'
    | 'check_at'
    | 'created_at'
  >,
  more: Partial<OperationRow> = {},
): OperationRow {
  return {
    status: 'sent',
    effective_amount: null,
    payment_service_operation_id: null,
    input: {},
    error_code: null,
    facts: {},
    exchanges: [],
    idempotency_scope: null,
    idempotency_key: null,
    checks: 0,
    event_count: 0,
    updated_at: required.created_at,
    settled_at: null,
    ...required,
    ...more,
  }
}

/**
 * The request was not sent, or the payment service refused it before it read it. Another request under the
 * same key may exist all the same: recovery sends one when it takes the first sender for dead.
 */
export const rejectedUnprocessed = (outcome: OperationOutcome): boolean =>
  outcome.status === 'failed' && outcome.unprocessed === true

export const errorCodeOf = (outcome: OperationOutcome): OperationCode | null =>
  outcome.status === 'declined' || outcome.status === 'failed' ? outcome.code : null

const keptDetails = ['raw_response_code', 'raw_response_description', 'iso_response_code'] as const

/**
 * What an operation keeps of an outcome's details: what it shows by itself. The payment keeps what it shows of them, and
 * the records of the operation have all.
 */
export type OperationDetails = Pick<ResponseDetails, (typeof keptDetails)[number]>

export const operationDetails = (details: ResponseDetails): OperationDetails =>
  Object.fromEntries(keptDetails.map((name) => [name, details[name]]))

export const responseDetailsOf = (outcome: OperationOutcome): ResponseDetails =>
  outcome.status === 'unknown' ? {} : outcome.facts
export const referencesOf = (outcome: OperationOutcome) =>
  outcome.status === 'unknown' ? {} : outcome.references

/** It follows from something else that became of the payment, and no merchant will ask for it again. */
export const isCompensation = ({ kind, input }: Pick<OperationRow, 'kind' | 'input'>): boolean =>
  kind === 'reverse' || input.rejected === true || input.undoes !== undefined

/**
 * It undoes an authorization or sale that the payment service approved after it had failed. The transaction
 * stays failed: neither that money nor its return is among its amounts.
 */
export const isLateCompensation = ({ kind, input }: Pick<OperationRow, 'kind' | 'input'>): boolean =>
  (kind === 'void' || kind === 'refund') && typeof input.undoes === 'string'

/** The status that a merchant sees: what has failed later has failed. */
export const shownStatus = ({
  status,
  late_failure: failure,
}: Pick<OperationRow, 'status' | 'late_failure'>): OperationStatus => (failure ? 'failed' : status)

/** What it, or the capture that is to follow it, has reserved of a spending limit. */
export const spendingOf = ({ input }: Pick<OperationRow, 'input'>): SpendingReservation | undefined =>
  input.spending ?? input.then_capture?.input.spending

/** What a line of the log says of it. */
export const operationLogFields = ({
  kind,
  transaction_id,
  id,
}: Pick<OperationRow, 'kind' | 'transaction_id' | 'id'>) => ({
  [kind === 'payout' ? 'payout' : 'transaction']: transaction_id,
  operation: id,
})

export const isGiftCardKind = (kind: OperationRow['kind']): kind is GiftCardKind =>
  giftCardKinds.some((known) => known === kind)

/**
 * Waits for a person, who may take an hour: the buyer at the payment service, or the cardholder at the card's
 * issuer.
 */
export const isBuyerStep = ({ kind }: Pick<OperationRow, 'kind'>): boolean =>
  kind === 'approval' || kind === 'authentication'

export const isCheckKind = (kind: OperationRow['kind']): kind is CheckKind =>
  checkKinds.some((known) => known === kind)

export const isBookkeepingKind = (kind: OperationRow['kind']): kind is BookkeepingKind =>
  bookkeepingKinds.some((known) => known === kind)

export const isLateFailureKind = (kind: OperationRow['kind']): kind is LateFailureKind =>
  lateFailureKinds.some((known) => known === kind)

/** The money step of a payment method. */
export const isPaymentKind = (kind: OperationRow['kind']): kind is 'authorize' | 'sale' =>
  kind === 'authorize' || kind === 'sale'

/**
 * Refunds as the API knows them: of the payment method's part, or to a gift card. The return of a late
 * approval's money is none, since its payment has failed.
 */
export const isRefund = ({ kind, input }: Pick<OperationRow, 'kind' | 'input'>): boolean =>
  kind === 'gift-card-refund' || (kind === 'refund' && !isLateCompensation({ kind, input }))

/** Whether an operation is a refund (`isRefund`) that has succeeded and was not taken back, as SQL. */
export const isSucceededRefundSql = `kind in ('refund', 'gift-card-refund')
       and status = 'approved'
       and late_failure is null
       and (kind <> 'refund' or jsonb_typeof(input->'undoes') is distinct from 'string')`
