import { isDeepStrictEqual } from 'node:util'
import { DatabaseError } from 'pg'
import { ApiError, badRequest, invalid, tooEarly } from '../../api/errors.ts'
import { refuseBeyondCeiling } from '../../api/server/validation.ts'
import { isMetadataTooLarge } from '../../api/values/metadata.ts'
import { timeOf } from '../../base/clock.ts'
import { redactor } from '../../connectors/redact.ts'
import { auditEntry, auditEntrySql } from '../../database/logs/audit-log.ts'
import { transactionTarget } from '../../operations/journal/event-target.sql.ts'
import { updateLinkStatus, writeLinkEvent } from '../../operations/journal/payment-link.sql.ts'
import { newOperation, openStatusesInSql } from '../../operations/operation.ts'
import type { World } from '../../world.ts'
import { outboxEvent, timelineEntry } from '../timeline.ts'
import type { TransactionRow } from '../transaction.row.ts'
import type { TransactionUpdate } from '../transaction.schema.ts'
import { readTransaction } from '../transaction.store.ts'
import { refuseContradictions } from './correction-rules.ts'

/** Whether an operation on a transaction has no outcome yet. */
const operationPending = (account: string, id: string) => `exists (
  select from operations o
   where o.merchant_account_id = ${account}
     and o.transaction_id = ${id}
     and o.status in ${openStatusesInSql})`

/**
 * A person's correction, e.g. of what was done at the payment service by hand (SEMANTICS §3.9, PUT). It is written to the journal too, so
 * that the amounts stay explained; the limits on amounts hold for it as for everything else. With a new status ($3) go the times and the
 * outcome that the status says. `$23`: how amounts and the status change, which they do not while an operation is pending; null: they do not change.
 */
const correctionStatement = `
with corrected as (
  update transactions t
     set status = coalesce($3, status),
         amount = coalesce($4::bigint, amount),
         authorized_amount = coalesce($5::bigint, authorized_amount),
         captured_amount = coalesce($6::bigint, captured_amount),
         intent_outcome = case
           when $3 in ('authorization_failed', 'authorization_declined') then 'failed'
           when $3 = 'capture_succeeded' or ($3 = 'authorization_succeeded' and intent = 'authorize') then 'succeeded'
           else intent_outcome
         end,
         error_code = case when $3 in ('authorization_succeeded', 'capture_succeeded') then null else error_code end,
         authorized_at = case when $3 in ('authorization_succeeded', 'capture_succeeded') then coalesce(authorized_at, $15::timestamptz) else authorized_at end,
         captured_at = case when $3 = 'capture_succeeded' then coalesce(captured_at, $15::timestamptz) else captured_at end,
         voided_at = case when $3 = 'authorization_voided' then coalesce(voided_at, $15::timestamptz) else voided_at end,
         payment_service_transaction_id = case when $7 then $8 else payment_service_transaction_id end,
         external_identifier = case when $9 then $10 else external_identifier end,
         metadata = case when $11 then $12::jsonb else metadata end,
         details = case when $13 then details || jsonb_build_object('connection_options', $14::jsonb) else details end,
         event_count = event_count + 1,
         updated_at = $15::timestamptz
   where merchant_account_id = $1
     and id = $2
     and active_operation_id is null
     and updated_at = $16::timestamptz
     and not ($23::jsonb is not null and ${operationPending('t.merchant_account_id', 't.id')})
  returning *
), journaled as (
  insert into operations
  select row.* from corrected, jsonb_populate_record(null::operations, $17::jsonb || jsonb_build_object('journal_position', event_position())) row
), story as (
  insert into transaction_events (merchant_account_id, transaction_id, id, entries) select merchant_account_id, id, $18, $19 from corrected
), told as (
  insert into events (merchant_account_id, id, name, target_id, sequence, target, created_at)
  select merchant_account_id, $20::uuid, 'transaction.modified', id, event_count, ${transactionTarget('corrected')}, updated_at
    from corrected
), audited as (${auditEntrySql('corrected', '$21', { name: 'corrected.external_identifier', changes: '$23::jsonb' })}
), ${updateLinkStatus('corrected', '$15::timestamptz')}, ${writeLinkEvent('$22::uuid')}
select row_to_json(corrected) as transaction from corrected`

const selectPending = `select ${operationPending('$1', '$2::uuid')} as pending`

const MAX_TRIES = 20

/** Whether a request sets amounts or the status: that needs the scope `transactions.correct` (SEMANTICS §0.14). */
export const correctsMoney = (input: TransactionUpdate): boolean => moneyFields.some((field) => input[field] !== undefined && input[field] !== null)

/** The caller's scopes have been checked. A request that changes nothing writes nothing. */
export async function correctTransaction(world: World, account: string, id: string, input: TransactionUpdate): Promise<TransactionRow> {
  if (input.metadata && isMetadataTooLarge(input.metadata))
    throw invalid({ '/metadata': 'may hold 50 pairs, with keys of 100 and values of 500 characters' })
  for (let tries = 0; tries < MAX_TRIES; tries++) {
    const row = await readTransaction(world, account, id)
    for (const field of amountFields) refuseBeyondCeiling(field, input[field], row.currency)
    const changes = changesOf(row, input)
    if (changes.fields.length === 0) return row
    if (row.active_operation_id) throw tooEarly()
    if (changes.money) await refuseMoneyCorrection(world, row, input)
    const [corrected] = await world
      .run<{ transaction: TransactionRow }>(correctionStatement, correctionValues(world, row, input, changes))
      .catch(refuseBrokenLimit)
    if (corrected) return corrected.transaction
  }
  throw tooEarly()
}

/** Amounts and the status of a payment stay as they are until its outcome is known, since that outcome is about them. */
async function refuseMoneyCorrection(world: World, row: TransactionRow, input: TransactionUpdate): Promise<void> {
  if (row.status === 'buyer_approval_pending') throw stillPending('the buyer’s approval is pending')
  if (row.pending_review) throw stillPending('a review is pending')
  const [found] = await world.run<{ pending: boolean }>(selectPending, [row.merchant_account_id, row.id])
  if (found?.pending) throw stillPending('an operation on it is pending')
  refuseContradictions(row, input)
}

const stillPending = (what: string) => new ApiError(425, 'too_early', `Amounts and the status cannot be corrected while ${what}`)

/** The table's own limits refuse a correction that would break them. */
function refuseBrokenLimit(error: unknown): never {
  const rules: Record<string, string> = {
    captured_within_authorization: 'The captured amount may not exceed the authorized amount',
    refunded_within_capture: 'The captured amount may not be less than what has been refunded',
  }
  const rule = error instanceof DatabaseError ? rules[error.constraint ?? ''] : undefined
  throw rule ? badRequest(rule) : error
}

const amountFields = ['amount', 'authorized_amount', 'captured_amount'] as const
const moneyFields = ['status', ...amountFields] as const
const otherFields = ['payment_service_transaction_id', 'external_identifier', 'metadata'] as const

/** As they are stored: without card numbers. */
const storedConnectionOptions = ({ connection_options: options }: TransactionUpdate): unknown => (options ? redactor(undefined)(options) : null)

interface Changes {
  /** What differs from the row. */
  fields: string[]
  before: Record<string, unknown>
  after: Record<string, unknown>
  /** The amounts and the status among them, for the audit log; undefined: none of them changes. */
  money: { before: Record<string, unknown>; after: Record<string, unknown> } | undefined
}

function changesOf(row: TransactionRow, input: TransactionUpdate): Changes {
  // null leaves an amount and the status as they are, and clears everything else
  const money = moneyFields.filter((field) => input[field] !== undefined && input[field] !== null && input[field] !== row[field])
  const others = otherFields.filter((field) => input[field] !== undefined && !isDeepStrictEqual(input[field], row[field]))
  const optionsChange =
    input.connection_options !== undefined && !isDeepStrictEqual(storedConnectionOptions(input), row.details.connection_options ?? null)
  const valuesOf = (fields: readonly (typeof moneyFields | typeof otherFields)[number][]) => ({
    before: Object.fromEntries(fields.map((field) => [field, row[field]])),
    after: Object.fromEntries(fields.map((field) => [field, input[field] ?? null])),
  })
  return {
    fields: [...money, ...others, ...(optionsChange ? ['connection_options'] : [])],
    ...valuesOf([...money, ...others]),
    money: money.length > 0 ? valuesOf(money) : undefined,
  }
}

function correctionValues(world: World, row: TransactionRow, input: TransactionUpdate, { before, after, money }: Changes): unknown[] {
  const now = timeOf(world.clock)
  const operation = newOperation(
    {
      merchant_account_id: row.merchant_account_id,
      id: world.ids.next(),
      transaction_id: row.id,
      kind: 'correction',
      amount: 0,
      currency: row.currency,
      payment_service_id: row.payment_service_id,
      check_at: null,
      created_at: now,
    },
    { status: 'approved', settled_at: now, input: { before, after } },
  )
  const given = (field: keyof TransactionUpdate) => input[field] !== undefined
  return [
    row.merchant_account_id,
    row.id,
    after['status'] ?? null,
    input.amount ?? null,
    input.authorized_amount ?? null,
    input.captured_amount ?? null,
    given('payment_service_transaction_id'),
    input.payment_service_transaction_id ?? null,
    given('external_identifier'),
    input.external_identifier ?? null,
    given('metadata'),
    input.metadata ? JSON.stringify(input.metadata) : null,
    given('connection_options'),
    input.connection_options ? JSON.stringify(storedConnectionOptions(input)) : null,
    now,
    row.updated_at,
    JSON.stringify(operation),
    world.ids.next(),
    JSON.stringify([timelineEntry(world, 'transaction-modified-event', { before, after })]),
    outboxEvent(world, 'transaction.modified').id,
    auditEntry(world, { action: 'updated', resource: { type: 'transaction', id: row.id, name: null } }),
    world.ids.next(),
    money ? JSON.stringify(money) : null,
  ]
}
