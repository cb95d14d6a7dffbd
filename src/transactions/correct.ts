import { DatabaseError } from 'pg'
import { badRequest, invalid, tooEarly } from '../api/errors.ts'
import { tooLarge } from '../api/metadata.ts'
import { redactor } from '../connectors/redact.ts'
import { auditEntry, auditedBy } from '../database/audit-log.ts'
import { transactionTarget } from '../operations/journal.sql.ts'
import { newOperation } from '../operations/operation.ts'
import { linkMoved, linkTold } from '../operations/payment-link.sql.ts'
import { timeOf, type World } from '../world.ts'
import { entry, outboxEvent } from './story.ts'
import type { TransactionRow } from './transaction.row.ts'
import type { TransactionUpdate } from './transaction.schema.ts'
import { readTransaction } from './transaction.store.ts'

/**
 * A person's correction, e.g. of what was done at the payment service by hand (SEMANTICS §3.9, PUT). It is written to the journal too, so
 * that the amounts stay explained; the limits on amounts hold for it as for everything else.
 */
const correct = `
with corrected as (
  update transactions
     set status = coalesce($3, status), amount = coalesce($4::bigint, amount), authorized_amount = coalesce($5::bigint, authorized_amount),
         captured_amount = coalesce($6::bigint, captured_amount), payment_service_transaction_id = case when $7 then $8 else payment_service_transaction_id end,
         external_identifier = case when $9 then $10 else external_identifier end, metadata = case when $11 then $12::jsonb else metadata end,
         event_count = event_count + 1, details = case when $13 then details || jsonb_build_object('connection_options', $14::jsonb) else details end, updated_at = $15::timestamptz
   where merchant_account_id = $1 and id = $2 and active_operation_id is null and updated_at = $16::timestamptz
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
), audited as (${auditedBy('corrected', '$21', { name: 'corrected.external_identifier' })}
), ${linkMoved('corrected', '$15::timestamptz')}, ${linkTold('$22::uuid')}
select row_to_json(corrected) as transaction from corrected`

const MOST_TRIES = 20

export async function correctTransaction(world: World, account: string, id: string, input: TransactionUpdate): Promise<TransactionRow> {
  if (input.metadata && tooLarge(input.metadata)) throw invalid({ '/metadata': 'may hold 50 pairs, with keys of 100 and values of 500 characters' })
  for (let tries = 0; tries < MOST_TRIES; tries++) {
    const row = await readTransaction(world, account, id)
    if (row.active_operation_id) throw tooEarly()
    const [corrected] = await world.run<{ transaction: TransactionRow }>(correct, values(world, row, input)).catch(explain)
    if (corrected) return corrected.transaction
  }
  throw tooEarly()
}

/** The table's own limits refuse a correction that would break them. */
function explain(error: unknown): never {
  const rules: Record<string, string> = {
    captured_within_authorization: 'The captured amount may not exceed the authorized amount',
    refunded_within_capture: 'The captured amount may not be less than what has been refunded',
  }
  const rule = error instanceof DatabaseError ? rules[error.constraint ?? ''] : undefined
  throw rule ? badRequest(rule) : error
}

const fields = [
  'status',
  'amount',
  'authorized_amount',
  'captured_amount',
  'payment_service_transaction_id',
  'external_identifier',
  'metadata',
] as const

function values(world: World, row: TransactionRow, input: TransactionUpdate): unknown[] {
  const now = timeOf(world.clock)
  const changed = fields.filter((field) => input[field] !== undefined && input[field] !== row[field])
  const before = Object.fromEntries(changed.map((field) => [field, row[field]]))
  const after = Object.fromEntries(changed.map((field) => [field, input[field] ?? null]))
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
    input.status ?? null,
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
    input.connection_options ? JSON.stringify(redactor(undefined)(input.connection_options)) : null,
    now,
    row.updated_at,
    JSON.stringify(operation),
    world.ids.next(),
    JSON.stringify([entry(world, 'transaction-modified-event', { before, after })]),
    outboxEvent(world, 'transaction.modified').id,
    auditEntry(world, { action: 'updated', resource: { type: 'transaction', id: row.id, name: null } }),
    world.ids.next(),
  ]
}
