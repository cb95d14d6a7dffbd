import { DatabaseError } from 'pg'
import { currentTimeValues } from '../../base/account-clock.ts'
import { timeOf } from '../../base/clock.ts'
import type { Attributes } from '../../base/tracing.ts'
import { answerDeadline } from '../../connectors/answer-deadline.ts'
import type { Exchange, Facts, References } from '../../connectors/connector.ts'
import { type AuditAction, auditEntry } from '../../database/logs/audit-log.ts'
import { retryTransient } from '../../database/postgres/retry-transient.ts'
import type { RedemptionChanges } from '../../gift-cards/redemptions/redemption.ts'
import type { World } from '../../world.ts'
import { isOpen, type OperationCode, type OperationRow, type OperationStatus, openStatuses } from '../operation.ts'
import { claimForSending as claim, claimDueOperations as claimDue, postponeRecovery as postpone } from './claim-operations.sql.ts'
import { type FollowUpKind, intendFollowUp as followUpStatements } from './intend-follow-up.sql.ts'
import { intendPayment as paymentStatements } from './intend-payment.sql.ts'
import { recordOutcome as outcomeStatements } from './record-outcome.sql.ts'

export type { FollowUpKind } from './intend-follow-up.sql.ts'

/** The claim on an idempotency key (semantics §0.8), made in the statement that intends the operation. */
export interface Claim {
  scope: string
  key: string
  /** Of `requestFingerprint`. */
  fingerprint: Buffer
  /** How the answer is shown when it is replayed. */
  representation: string
}

/** A line of the payment's timeline (semantics §3.17). */
export interface TimelineEntry {
  id: string
  name: string
  created_at: string
  context: Record<string, unknown>
}

/** An event for the merchant's systems (semantics §15.4). */
export interface OutboxEvent {
  id: string
  name: string
  target: 'transaction' | 'operation'
}

/** Events, numbered among those of the same target in this commit; the statement adds the number of the target's earlier events. */
export const numberEvents = (events: readonly OutboxEvent[]) =>
  events.map((event, index) => ({ ...event, ordinal: events.slice(0, index + 1).filter(({ target }) => target === event.target).length }))

/** The idempotency key was claimed by another request: nothing was written. */
export class IdempotencyKeyTaken extends Error {}

const isViolation = (error: unknown, constraint: string): boolean => error instanceof DatabaseError && error.constraint === constraint

/** Sends a statement of the journal, again where that may help. */
export async function retryJournalWrite<T>(work: () => Promise<T>): Promise<T> {
  try {
    return await retryTransient(work)
  } catch (error) {
    throw isViolation(error, 'idempotency_keys_pkey') ? new IdempotencyKeyTaken() : error
  }
}

/** A commit of the journal, as a trace shows it. */
export const traceCommit = <T>(
  { tracing }: World,
  name: 'intend' | 'settle',
  operation: Partial<OperationRow> | undefined,
  work: () => Promise<T>,
): Promise<T> => tracing.step(name, { attributes: () => (operation ? operationTraceAttributes(operation) : {}) }, work)

/** What steps of a trace say of an operation. */
export const operationTraceAttributes = ({ transaction_id, id, kind }: Partial<OperationRow>): Attributes => ({
  ...(transaction_id && { [kind === 'payout' ? 'railyard.payout.id' : 'railyard.transaction.id']: transaction_id }),
  ...(id && { 'railyard.operation.id': id }),
  ...(kind && { 'railyard.operation.kind': kind }),
})

/** The parameters of a statement that claims an idempotency key, where the request has one. */
export const claimParameters = (claim: Claim | undefined) => ({
  idempotencyScope: claim?.scope ?? null,
  idempotencyKey: claim?.key ?? null,
  fingerprint: claim?.fingerprint ?? null,
  representation: claim?.representation ?? null,
})

/** What a payment does to the vault in its own commit: it uses a stored method, or keeps its own (`row` as JSON, provisional). */
export type VaultEffect = { does: 'uses'; id: string } | { does: 'keeps'; row: object }

/** What a wallet gave for one payment: `hash` is the SHA-256 of its name for the token, in hex, and after `usable_until` (ISO 8601) no payment service takes it. */
export interface OneTimeToken {
  source: string
  hash: string
  usable_until: string
}

/**
 * Anything but `created` wrote nothing: the stored method was deleted meanwhile, another one has the external identifier, the link is not active, or another payment has used the
 * wallet's token.
 */
export type IntendPaymentResult = 'created' | 'method gone' | 'external identifier taken' | 'link closed' | 'token used already'

export interface NewPayment {
  transaction: { id: string }
  operations: OperationRow[]
  timeline: TimelineEntry[]
  events: OutboxEvent[]
  claim: Claim | undefined
  vault?: VaultEffect | undefined
  /** Used up by the commit that writes the payment down: a process that dies before it leaves the token good. No wallet pays through a link. */
  token?: OneTimeToken | undefined
  /** The id of the payment link that it is made through. */
  link?: string | undefined
}

/** A new transaction with its first operation, or without one where no payment service can be asked. */
export async function intendPayment(
  world: World,
  { transaction, operations, timeline, events, claim: idempotency, vault, token, link }: NewPayment,
): Promise<IntendPaymentResult> {
  const parameters = {
    transaction: JSON.stringify({ ...transaction, event_count: events.length }),
    operations: JSON.stringify(operations),
    timelineId: world.ids.next(),
    timelineEntries: JSON.stringify(timeline),
    ...claimParameters(idempotency),
    events: JSON.stringify(numberEvents(events)),
    auditEntry: auditEntry(world, { action: 'created', resource: { type: 'transaction', id: transaction.id, name: null } }),
  }
  const intend = <T>(work: () => Promise<T>) => traceCommit(world, 'intend', operations[0], () => retryJournalWrite(work))
  const methodToStore = vault?.does === 'keeps' ? JSON.stringify(vault.row) : null
  const storedMethodId = vault?.does === 'uses' ? vault.id : null
  if (link !== undefined) {
    const linked = { ...parameters, methodToStore, storedMethodId, linkId: link, linkEventId: world.ids.next() }
    return intendUnlessTaken(() => intend(() => paymentStatements.throughLink.run<IntendedPaymentRow>(world, linked)))
  }
  if (token)
    return intendUnlessTaken(() =>
      intend(() => paymentStatements.fromWallet.run<IntendedPaymentRow>(world, { ...parameters, walletToken: JSON.stringify(token) })),
    )
  if (storedMethodId !== null) {
    const created = await intend(() => paymentStatements.withStoredMethod.run(world, { ...parameters, storedMethodId }))
    return created.length > 0 ? 'created' : 'method gone'
  }
  if (methodToStore !== null)
    return intendUnlessTaken(() => intend(() => paymentStatements.storingMethod.run<IntendedPaymentRow>(world, { ...parameters, methodToStore })))
  await intend(() => paymentStatements.plain.run(world, parameters))
  return 'created'
}

/** What a payment through a link answers; otherwise it is there, or it violated something. */
interface IntendedPaymentRow {
  open?: boolean
  created?: boolean
}

async function intendUnlessTaken(intend: () => Promise<IntendedPaymentRow[]>): Promise<IntendPaymentResult> {
  try {
    const [{ open = true, created = true } = {}] = await intend()
    return created ? 'created' : open ? 'method gone' : 'link closed'
  } catch (error) {
    if (isViolation(error, 'payment_methods_external_identifier')) return 'external identifier taken'
    if (isViolation(error, 'used_wallet_tokens_pkey')) return 'token used already'
    throw error
  }
}

export interface FollowUp {
  operation: OperationRow & { kind: FollowUpKind }
  /** How far beyond the authorization a capture may go. */
  allowance: number
  timeline: TimelineEntry[]
  claim: Claim | undefined
}

/** What the audit log calls it. A refund is a resource of its own; everything else happens to its transaction. */
const actions: Record<Exclude<FollowUpKind, 'refund' | 'gift-card-refund'>, AuditAction> = {
  capture: 'captured',
  void: 'voided',
  cancel: 'canceled',
  increment: 'updated',
}

function followUpAuditEntry(world: World, { id, kind, transaction_id, input }: FollowUp['operation']): string | null {
  const refunded = { action: 'created', resource: { type: 'refund', id, name: input.external_identifier ?? null } } as const
  const forced = { action: 'updated', resource: { type: 'transaction', id: transaction_id, name: `refund forced: ${input.reason}` } } as const
  return kind === 'refund' || kind === 'gift-card-refund'
    ? auditEntry(world, refunded, ...(input.forced ? [forced] : []))
    : auditEntry(world, { action: actions[kind], resource: { type: 'transaction', id: transaction_id, name: null } })
}

/** Reserves and intends an operation on an existing transaction. Undefined: the money or the state is not there any more. */
export async function intendFollowUp<T>(world: World, { operation, allowance, timeline, claim: idempotency }: FollowUp): Promise<T | undefined> {
  const parameters = {
    account: operation.merchant_account_id,
    transactionId: operation.transaction_id,
    operationId: operation.id,
    amount: operation.amount,
    allowance,
    operation: JSON.stringify(operation),
    timelineId: world.ids.next(),
    ...claimParameters(idempotency),
    now: operation.created_at,
    timelineEntries: JSON.stringify(timeline),
    auditEntry: followUpAuditEntry(world, operation),
  }
  const intend = () => followUpStatements[operation.kind].run<{ transaction: T }>(world, parameters)
  const [row] = await traceCommit(world, 'intend', operation, () => retryJournalWrite(intend))
  return row?.transaction
}

/** What a settlement writes. `Change` of `transactions/projection.ts` gives the part that concerns the transaction. */
export interface OutcomeRecord {
  operation: Pick<OperationRow, 'merchant_account_id' | 'transaction_id' | 'id' | 'kind' | 'status' | 'checks'>
  status: OperationStatus
  /** By `rejectedUnprocessed`: such an outcome is recorded only while recovery has not claimed the operation. */
  isRejectedUnprocessed: boolean
  effectiveAmount: number | null
  errorCode: OperationCode | null
  facts: Facts
  references: References
  exchanges: Exchange[]
  checkAt: string | null
  checks: number
  transaction: {
    /** What the change was computed from; it must still be so. Captures under way look at each other: null for other operations. */
    from: string
    fromCaptures: { captured: number; reserved: number } | null
    to: string
    intentOutcome: string | null
    amount: number
    authorized: number
    captured: number
    refunded: number
    captureReserved: number
    refundReserved: number
    captureClosed: boolean | null
    stamp: string | null
    /** Whether the outcome's error code and facts become the transaction's. */
    showsOutcome: boolean
    /** The operation that is under way from now on, if another follows. */
    activeOperation: string | null
    paymentService: { id: string; snapshot: unknown } | null
    /** Where the buyer approves, from now on: members of the transaction's `approval`. */
    approval: object | null
    /** What the checks before the money step found; null: nothing. */
    threeDSecure: object | null
    screening: object | null
    pendingReview: boolean | null
    /** Until when a cardholder may answer; null: as it is. */
    approvalExpiresAt: string | null
    /** Whether it was made through a payment link, for which the outcome means something, too. */
    throughLink: boolean
    /** The instrument that was sealed for a challenge is deleted. */
    dropsSealedInstrument: boolean
    /** The payment that this one renews may be captured again. */
    reopensEarlier: boolean
    /** Where the buyer wants it sent, if they chose. */
    shipping: unknown
    /** What becomes of the payment's gift card redemptions; null: nothing. */
    redemptions: RedemptionChanges | null
    /** The stored gift card that was used; null: none. */
    usedGiftCard: string | null
    /** The stored gift card that money went back to; null: none. */
    filledGiftCard: string | null
    /** What the outcome means for the stored payment method; null: nothing, or there is none. */
    paymentMethod: 'confirmed' | 'refused' | null
    /** What the next attempt is paid with, where that is something else; `card`: what is shown of a card that replaces the refused one. */
    /** And what rules decided about that attempt. */
    instrument: { type: string | null; card: object | null; actions?: readonly object[] } | null
  }
  /** Operations (and a transaction) intended by the same commit: the next attempt, the second step of a split capture, a re-authorization. */
  next: { transactions: object[]; operations: OperationRow[] }
  timeline: { transaction_id: string; entries: TimelineEntry[] }[]
  events: OutboxEvent[]
  /** Whether this is what the merchant's request is answered with. */
  answers: boolean
}

/** `answered_before`: the request was answered by an earlier settlement, and that answer is the one that counts. */
export type RecordOutcomeResult<T> =
  | {
      transaction: T
      operation: OperationRow
      answered_before: boolean
      /** Of the payment link, if this has moved it. */
      link_declines?: number | null
    }
  | 'already recorded'
  | 'changed meanwhile'

/**
 * Statuses that an operation may leave for `to`: an open one for a decision, the known one for `pending`, which the merchant is told once; `unknown` adds nothing to `pending`. An
 * operation that was rejected unprocessed leaves the one that its sender knew, or none: another process may have sent it since.
 */
function statusesToLeave({ operation, status: to, isRejectedUnprocessed }: OutcomeRecord): OperationStatus[] {
  if (isRejectedUnprocessed) return [operation.status]
  if (to === 'pending') return operation.status === 'pending' ? [] : [operation.status]
  return openStatuses.filter((from) => from !== to && !(to === 'unknown' && from === 'pending'))
}

const json = (value: unknown): string | null => (value === null || value === undefined ? null : JSON.stringify(value))

function outcomeParameters(world: World, record: OutcomeRecord) {
  const { operation, transaction: change, next, references } = record
  return {
    account: operation.merchant_account_id,
    operationId: operation.id,
    now: timeOf(world.clock),
    fromStatuses: statusesToLeave(record),
    onlyAfterChecks: record.isRejectedUnprocessed ? operation.checks : null,
    status: record.status,
    effectiveAmount: record.effectiveAmount,
    serviceOperationId: references.operation ?? null,
    errorCode: record.errorCode,
    facts: JSON.stringify(record.facts),
    exchanges: JSON.stringify(record.exchanges),
    checkAt: record.checkAt,
    checks: record.checks,
    timeline: JSON.stringify(record.timeline.map((part) => ({ ...part, id: world.ids.next() }))),
    events: JSON.stringify(numberEvents(record.events)),
    answers: record.answers,
    fromStatus: change.from,
    toStatus: change.to,
    intentOutcome: change.intentOutcome,
    amount: change.amount,
    authorized: change.authorized,
    captured: change.captured,
    refunded: change.refunded,
    captureReserved: change.captureReserved,
    refundReserved: change.refundReserved,
    captureClosed: change.captureClosed,
    activeOperation: change.activeOperation,
    showsOutcome: change.showsOutcome,
    serviceTransactionId: references.transaction ?? null,
    paymentServiceId: change.paymentService?.id ?? null,
    paymentService: json(change.paymentService?.snapshot),
    stamp: change.stamp,
    nextTransactions: JSON.stringify(next.transactions),
    nextOperations: JSON.stringify(next.operations),
    fromCaptured: change.fromCaptures?.captured ?? null,
    fromCaptureReserved: change.fromCaptures?.reserved ?? null,
    approval: json(change.approval),
    identifiers: json(references.identifiers),
    shippingDetails: json(change.shipping),
  }
}

/** What most outcomes leave as it is: the statement that can change it is longer. */
const wholeOutcomeParameters = ({ transaction: change }: OutcomeRecord) => ({
  paymentMethod: change.paymentMethod,
  redemptions: json(change.redemptions),
  usedGiftCard: change.usedGiftCard,
  filledGiftCard: change.filledGiftCard,
  threeDSecure: json(change.threeDSecure),
  screening: json(change.screening),
  pendingReview: change.pendingReview,
  approvalExpiresAt: change.approvalExpiresAt,
  dropsSealedInstrument: change.dropsSealedInstrument,
})

type RecordedRow<T> = Exclude<RecordOutcomeResult<T>, string>

/** The shortest statement that can record this outcome. */
function runOutcomeStatement<T>(world: World, record: OutcomeRecord): Promise<RecordedRow<T>[]> {
  const { transaction: change } = record
  const { instrument } = change
  const parameters = outcomeParameters(world, record)
  if (instrument)
    return outcomeStatements.withInstrument.run<RecordedRow<T>>(world, {
      ...parameters,
      instrumentType: instrument.type,
      card: json(instrument.card),
      actions: json(instrument.actions),
    })
  const whole = wholeOutcomeParameters(record)
  if (change.throughLink) return outcomeStatements.throughLink.run<RecordedRow<T>>(world, { ...parameters, ...whole, linkEventId: world.ids.next() })
  const { paymentMethod, redemptions, threeDSecure, screening, approvalExpiresAt, dropsSealedInstrument, reopensEarlier } = change
  const needsWhole = paymentMethod || redemptions || threeDSecure || screening || approvalExpiresAt || dropsSealedInstrument || reopensEarlier
  return needsWhole
    ? outcomeStatements.whole.run<RecordedRow<T>>(world, { ...parameters, ...whole })
    : outcomeStatements.plain.run<RecordedRow<T>>(world, parameters)
}

/** Records an outcome in one commit. `already recorded`: another process was faster. `changed meanwhile`: the transaction has left what the change was computed from. Either way nothing was written. */
export async function recordOutcome<T>(world: World, record: OutcomeRecord): Promise<RecordOutcomeResult<T>> {
  try {
    const write = () => retryJournalWrite(() => runOutcomeStatement<T>(world, record))
    const [row] = await traceCommit(world, 'settle', record.operation, write)
    return row ?? 'already recorded'
  } catch (error) {
    if (isViolation(error, 'transactions_status_known')) return 'changed meanwhile'
    throw error
  }
}

/** Up to `limit` operations that recovery is to look at; no other process gets them for `leaseMs`. */
export async function claimDueOperations(world: World, limit: number, leaseMs: number): Promise<OperationRow[]> {
  const now = world.clock.now()
  const [onlyAccount, movedAccounts] = currentTimeValues()
  const rows = await claimDue.run<{ operation: OperationRow }>(world, {
    now: new Date(now).toISOString(),
    until: new Date(now + leaseMs).toISOString(),
    limit,
    onlyAccount,
    movedAccounts,
  })
  return rows.map((row) => row.operation)
}

const updateOpenDue = `
update operations set check_at = created_at
 where check_at is not null and status = any($1::text[])
returning row_to_json(operations) as operation`

/** Recovery looks at every open operation the next time. Answers them, oldest first. */
export async function makeOpenOperationsDue(world: World): Promise<OperationRow[]> {
  const rows = await world.run<{ operation: OperationRow }>(updateOpenDue, [openStatuses])
  return rows.map(({ operation }) => operation).sort((one, other) => (one.id < other.id ? -1 : 1))
}

const selectOperationsById = `
select row_to_json(o) as operation
  from operations o join jsonb_to_recordset($1::jsonb) this (merchant_account_id text, id uuid) using (merchant_account_id, id)`

/** Operations as they stand, in no order. */
export async function readOperationsById(world: World, these: readonly Pick<OperationRow, 'merchant_account_id' | 'id'>[]): Promise<OperationRow[]> {
  const keys = these.map(({ merchant_account_id, id }) => ({ merchant_account_id, id }))
  const rows = await world.run<{ operation: OperationRow }>(selectOperationsById, [JSON.stringify(keys)])
  return rows.map(({ operation }) => operation)
}

/** Looks at an open operation again at `checkAt`. */
export async function postponeRecovery(world: World, operation: OperationRow, checkAt: string): Promise<void> {
  if (!isOpen(operation.status)) return
  await postpone.run(world, { account: operation.merchant_account_id, id: operation.id, checkAt, openStatuses })
}

/**
 * Before a process sends an operation that another one has intended: from now on an earlier sender whose request was rejected unprocessed cannot record that. One process alone gets
 * what was queued. Undefined: the operation is in none of these statuses any more.
 */
export async function claimForSending(
  world: World,
  { merchant_account_id: account, id }: Pick<OperationRow, 'merchant_account_id' | 'id'>,
  from: readonly OperationStatus[] = openStatuses,
): Promise<OperationRow | undefined> {
  const [row] = await claim.run<{ operation: OperationRow }>(world, { account, id, fromStatuses: from, deadline: answerDeadline(world) })
  return row?.operation
}

const selectOperationAndTransaction = `
select row_to_json(t) as transaction, row_to_json(o) as operation
  from operations o join transactions t on t.merchant_account_id = o.merchant_account_id and t.id = o.transaction_id
 where o.merchant_account_id = $1 and o.id = $2`

/** An operation and its transaction as they stand. */
export async function readOperation<T>(world: World, account: string, id: string): Promise<{ transaction: T; operation: OperationRow } | undefined> {
  const [row] = await world.run<{ transaction: T; operation: OperationRow }>(selectOperationAndTransaction, [account, id])
  return row
}

const selectOperation = 'select row_to_json(o) as operation from operations o where merchant_account_id = $1 and id = $2'

/** An operation by itself, whatever it is about. */
export async function findOperation(world: World, account: string, id: string): Promise<OperationRow | undefined> {
  const [row] = await world.run<{ operation: OperationRow }>(selectOperation, [account, id])
  return row?.operation
}

const selectOperations = `
select row_to_json(o) as operation from operations o
 where merchant_account_id = $1 and transaction_id = $2 order by id`

/** Every operation of a transaction, oldest first. */
export async function readOperations(world: World, account: string, transaction: string): Promise<OperationRow[]> {
  const rows = await world.run<{ operation: OperationRow }>(selectOperations, [account, transaction])
  return rows.map((row) => row.operation)
}
